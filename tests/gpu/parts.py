# SPDX-License-Identifier: Apache-2.0
"""The parts of scripts/measure/gpu-check. Each part returns lines of Markdown, or raises Unmet or
NotHere."""
import json
import re
import statistics
import subprocess

import dump as dumps
from runner import FUNCTIONS, TABLE, NotHere, Unmet, library


def agrees_with_pytorch(run, configuration):
    """Driver events = memory_reserved(), tensor events = memory_allocated(), at every step."""
    env = {"PYTORCH_CUDA_ALLOC_CONF": configuration, "PYTORCH_ALLOC_CONF": configuration} \
        if configuration else {}
    _, _, dump = run.run("steps.py", 60, "mark", env=env)
    marks = dumps.replay(run.reporter, dump).marks
    checked, wrong = 0, []
    for text, held, blocks in marks:
        said = re.match(r"step (\d+) reserved=(\d+) allocated=(\d+)", text)
        if not said:
            continue
        checked += 1
        reserved = held.get("libc10_cuda.so", 0)
        if (reserved, blocks) != (int(said.group(2)), int(said.group(3))):
            wrong.append(f"{text}: we counted {reserved} and {blocks}")
    if checked == 0:
        raise Unmet("the dump has no marks of steps")
    if wrong:
        raise Unmet(f"{len(wrong)} of {checked} steps differ, the first: {wrong[0]}")
    return [f"{checked} of {checked} steps agree to the byte: `memory_reserved()` with the "
            "driver's events of libc10_cuda.so, `memory_allocated()` with the tensors' blocks."]


def same_addresses(run):
    """Checks that cuGetProcAddress() returns the functions that the driver exports."""
    said, _, _ = run.run("driver_calls.py", "addresses", *functions_of_the_table(), traced=False)
    lines = [line.split(maxsplit=2) for line in said.splitlines()[1:]]
    other = [f"{name} (flags {flags})" for name, flags, what in lines if what == "another address"]
    missing = sorted({name for name, _, what in lines if what.isdigit()})
    told = [f"{said.splitlines()[0]}: {len(lines) - len(other)} of {len(lines)} answers are an "
            f"exported address."]
    if other:
        told.append("Others, which go by name and version instead: " + ", ".join(other))
    if missing:
        told.append("Unknown to this driver: " + ", ".join(missing))
    return told


def functions_of_the_table():
    """Returns the names that callers use, without versions."""
    if FUNCTIONS.exists():
        return FUNCTIONS.read_text().split()
    return re.findall(r"^MEMTRACE_GPU_API\(\s*\d+, (\w+),", TABLE.read_text(), re.MULTILINE)


def crosscheck(run):
    _, _, dump = run.run("steps.py", 40, "mark", options="gpu=crosscheck")
    notes = [fields.get("text", "") for word, fields in dumps.records(run.reporter, dump, {"note"})
             if "crosscheck" in " ".join(fields.values())]
    if not notes:
        raise Unmet("the dump does not say how the comparison with CUPTI ended")
    return notes


def both_sources(run):
    """Records the same program by each source, and compares the events of memory one by one."""
    words = {"gpu_acquire", "gpu_release", "gpu_retain", "gpu_map", "gpu_unmap"}

    def events(options):
        _, _, dump = run.run("steps.py", 30, "mark", options=options)
        counts = {}
        for word, fields in dumps.records(run.reporter, dump, words):
            key = (word, fields["api"])
            counts[key] = counts.get(key, 0) + 1
        return counts
    driver, cupti = events("gpu=driver"), events("gpu=cupti")
    if driver != cupti:
        keys = sorted(set(driver) | set(cupti))
        raise Unmet("; ".join(f"{word} {api}: {driver.get((word, api), 0)} by hooks, "
                              f"{cupti.get((word, api), 0)} by CUPTI" for word, api in keys
                              if driver.get((word, api)) != cupti.get((word, api))))
    return [f"{sum(driver.values())} events, of {len(driver)} kinds: the same by both sources."]


def median_of_ratios(measure, variants, pairs):
    """Returns {variant: (median ratio to the first, smallest, largest)}, and the first's values."""
    ratios, firsts = {name: [] for name in variants[1:]}, []
    for _ in range(pairs):
        first = measure(variants[0])
        firsts.append(first)
        for name in variants[1:]:
            ratios[name].append(measure(name) / first)
    return firsts, {name: (statistics.median(all_), min(all_), max(all_))
                    for name, all_ in ratios.items()}


def cost(run):
    def call(variant):
        said, _, _ = run.run("driver_calls.py", "cost", 400, traced=variant != "bare",
                             options="" if variant == "bare" else f"gpu={variant}")
        return float(said.split()[1])

    def step(variant):
        said, _, _ = run.run("steps.py", 200, "time", traced=variant != "bare",
                             options="" if variant == "bare" else f"gpu={variant}")
        return float(said.split()[1])
    told = []
    for what, measure, unit in (("cuMemAlloc and cuMemFree of 2 MiB", call, "ns"),
                                ("one step of training", step, "ms")):
        firsts, ratios = median_of_ratios(measure, ["bare", "driver", "cupti"], run.pairs)
        told.append(f"{what}: bare {statistics.median(firsts):.4g} {unit}; " + ", ".join(
            f"with {name} {median:.3f} ({least:.3f} to {most:.3f}) times that"
            for name, (median, least, most) in ratios.items()))
    return told


def footprint(run):
    """Measures what CUPTI adds to a process: threads and resident memory."""
    code = ("import torch; torch.zeros(1).cuda(); "
            "print(open('/proc/self/status').read())")
    program = run.folder / "footprint.py"
    program.write_text(code)
    told = []
    for variant in ("bare", "driver", "cupti"):
        said, _, _ = run.run(program, traced=variant != "bare",
                             options="" if variant == "bare" else f"gpu={variant}")
        fields = dict(re.findall(r"^(\w+):\s+(\d+)", said, re.MULTILINE))
        told.append(f"{variant}: {fields['Threads']} threads, {int(fields['VmRSS']) / 1024:.0f} "
                    "MiB resident")
    return told


def profiler_unharmed(run):
    told = []
    bare, _, _ = run.run("steps.py", 10, "profile", traced=False)
    for variant in ("driver", "cupti"):
        traced, _, _ = run.run("steps.py", 10, "profile", options=f"gpu={variant}")
        if traced != bare:
            different = set(bare.splitlines()) ^ set(traced.splitlines())
            raise Unmet(f"with gpu={variant} torch.profiler says otherwise: "
                        f"{sorted(different)[:6]}")
        told.append(f"gpu={variant}: all {len(bare.splitlines())} rows of torch.profiler are the "
                    "same, and their counts")
    return told


def the_ledger(run):
    _, _, dump = run.run("steps.py", 40, "mark")
    smi = subprocess.run(["nvidia-smi", "--query-compute-apps=pid,used_memory", "--format=csv"],
                         capture_output=True, text=True)
    return ["```", run.report("gpu", dump).strip(), "```",
            "nvidia-smi at the end: " + (smi.stdout.strip().replace("\n", "; ") or "nothing")]


def leak_is_found(run):
    said, _, dump = run.run("steps.py", 50, "leak")
    line = int(re.search(r"leaks at line (\d+)", said).group(1))
    report = json.loads(run.report("sites", dump, "--json", "-"))
    sites = [site for site in report["sites"] if site["space"].startswith("tensors:cuda")]
    sites.sort(key=lambda site: -site["leaked_bytes"])
    lines = [(frame["file"].rsplit("/", 1)[-1], frame["line"]) for frame in sites[0]["stack"]
             if frame["kind"] == "python"]
    total = sum(site["leaked_bytes"] for site in sites)
    share = sum(site["leaked_bytes"] for site in sites
                if any(frame["file"].endswith("steps.py") and frame["line"] == line
                       for frame in site["stack"]))
    if ("steps.py", line) not in lines:
        raise Unmet(f"the largest leak is at {lines[:3]}, not at steps.py:{line}")
    return [f"The largest leak of tensors is at steps.py:{line}, which has {share / total:.1%} of "
            "all that is leaked."]


def nccl_has_its_own(run):
    program = run.folder / "nccl_alone.py"
    program.write_text(
        "import os, torch, torch.distributed as d\n"
        "os.environ.update(MASTER_ADDR='127.0.0.1', MASTER_PORT='29517')\n"
        "d.init_process_group('nccl', rank=0, world_size=1)\n"
        "t = torch.ones(1 << 20, device='cuda'); d.all_reduce(t); torch.cuda.synchronize()\n"
        "import ctypes; ctypes.CDLL(None).memtrace_mark(b'end')\n")
    _, _, dump = run.run(program)
    asked = dumps.replay(run.reporter, dump).asked
    mine = {name: size for name, size in asked.items() if "nccl" in name}
    if not mine:
        raise NotHere(f"with one rank, NCCL asked the driver for no memory; others: {asked}")
    return [", ".join(f"{name} asked for {size / 2**20:.1f} MiB" for name, size in mine.items())]


def jax_by_the_async_allocator(run):
    if subprocess.run([run.python, "-c", "import jax; jax.devices('gpu')"],
                      capture_output=True).returncode != 0:
        raise NotHere("there is no JAX with CUDA here")
    program = run.folder / "jax_async.py"
    program.write_text("import jax.numpy as n\n"
                       "x = n.ones((1 << 20,)); (x + 1).block_until_ready()\n")
    _, _, dump = run.run(program, env={"XLA_PYTHON_CLIENT_ALLOCATOR": "cuda_async"})
    pooled = [number for word, number in
              ((word, fields.get("memory"))
               for word, fields in dumps.records(run.reporter, dump, {"gpu_acquire"}))
              if number == "pooled"]
    return [f"{len(pooled)} allocations of the driver's pools were seen"]


def symbols_of_pytorch(run):
    path = library(run, "libc10_cuda.so")
    names = path.read_bytes()
    told = []
    for symbol in (b"_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE",
                   b"_ZN3c1027reportOutOfMemoryToProfilerElmmNS_6DeviceE"):
        if symbol not in names:
            raise Unmet(f"{path.name} does not name {symbol.decode()}")
        told.append(f"{path.name} names `{symbol.decode()}`")
    return told


def ends_well(run):
    """Checks that nothing of CUPTI is called at exit: the process ends quickly, as without it."""
    for variant in ("driver", "cupti"):
        _, stderr, dump = run.run("steps.py", 3, "mark", options=f"gpu={variant}")
        if "Segmentation" in stderr:
            raise Unmet(stderr[-300:])
        ends = [fields for _, fields in dumps.records(run.reporter, dump, {"end"})]
        if not ends or ends[-1].get("code") != "0":
            raise Unmet(f"gpu={variant}: the dump ends with {ends}")
    return ["exit code 0 and a whole dump with both sources"]


def host_is_explained(run):
    """The ledger of the host explains the resident set of a process with a context."""
    _, _, dump = run.run("steps.py", 40, "mark")
    report = json.loads(run.report("host", dump, "--json", "-"))["host_ledger"]["peak"]
    part = report["not_explained"] / report["resident"]
    text = (f"{report['resident'] / 2**20:.0f} MiB resident, of which "
            f"{report['not_explained'] / 2**20:.2f} MiB are not explained ({part:.2%})")
    if abs(part) > 0.03:
        raise Unmet(text)
    return [text]


def steps_are_found(run):
    """Finds the steps of a training without marks, and of the other libraries' loops."""
    told = []
    for program, wanted in (("loader.py", 120), ("jax_steps.py", 70), ("cupy_steps.py", 90)):
        module = {"loader.py": "torch", "jax_steps.py": "optax", "cupy_steps.py": "cupy"}[program]
        if subprocess.run([run.python, "-c", f"import {module}"],
                          capture_output=True).returncode != 0:
            told.append(f"{program}: there is no {module} here")
            continue
        _, _, dump = run.run(program, env={"XLA_PYTHON_CLIENT_PREALLOCATE": "false"})
        text = run.report("steps", dump)
        if f"{wanted} steps of {program}:" not in text:
            raise Unmet(f"{program}: {text[:1500]}")
        told.append(f"{program}: {wanted} of {wanted} steps")
    return told


PARTS = [
    ("What cuGetProcAddress() gives is what the driver exports", same_addresses),
    ("Driver and tensor events agree with PyTorch", lambda run: agrees_with_pytorch(run, "")),
    ("The same with expandable segments",
     lambda run: agrees_with_pytorch(run, "expandable_segments:True")),
    ("Driver hooks and CUPTI in one run", crosscheck),
    ("Driver hooks and CUPTI in two runs", both_sources),
    ("torch.profiler is unharmed", profiler_unharmed),
    ("The ledger", the_ledger),
    ("A leaked tensor is found by its line", leak_is_found),
    ("NCCL is an owner of its own", nccl_has_its_own),
    ("JAX by the driver's pools", jax_by_the_async_allocator),
    ("The end of the process", ends_well),
    ("The resident set is explained", host_is_explained),
    ("Steps without marks", steps_are_found),
    ("PyTorch calls the functions that are hooked", symbols_of_pytorch),
    ("What CUPTI adds to the process", footprint),
    ("Cost", cost),
]
TIMED = [part for part in PARTS if part[1] is cost]
