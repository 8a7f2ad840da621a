"""Python's objects under each value of python_allocs, beside PYTHONMALLOC, tracemalloc and -X
dev: what is recorded is right, what is not recorded is reported, and nothing is counted twice."""
# slow
import glob
import json
import math
import os
import re
import struct
import sys

from harness import SOURCE, expect, folder, report, reporter, require, run, skip, trace

sys.path.insert(0, os.path.join(SOURCE, "tests", "python"))
from interpreters import find_interpreters  # noqa: E402

VERSIONS = ("3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14", "3.15")
FOLDER = os.path.join(SOURCE, "tests", "python")
# Arguments, environment, where small objects lie, and the state in the dump.
RUNS = (
    ([], {}, "arenas", "whole"),
    (["-X", "tracemalloc"], {}, "arenas", "whole"),
    (["-X", "dev"], {}, "arenas", "late"),
    ([], {"PYTHONMALLOC": "debug"}, "arenas", "late"),
    ([], {"PYTHONMALLOC": "pymalloc"}, "arenas", "late"),
    ([], {"PYTHONMALLOC": "malloc"}, "malloc", "late"),
    ([], {"PYTHONMALLOC": "malloc_debug"}, "malloc", "late"),
)
EVENT = re.compile(r"^(acquire|release|resize) lane=\d+ .*?api=(\w+)"
                   r"(?: old_address=(\S+))?(?: stack=\d+ size=(\d+))? address=(\S+)", re.M)


def test():
    interpreters = [found for version in VERSIONS for found in find_interpreters(version)]
    if not interpreters:
        skip("there is no Python with ctypes here")
    for interpreter in interpreters:
        # The versions differ little here and are many. Only the oldest and the newest run all.
        runs = RUNS if interpreter in (interpreters[0], interpreters[-1]) else RUNS[2:6:3]
        for arguments, env, place, state in runs:
            check(str(interpreter), arguments, env, place, state)
        check_off(str(interpreter))
        check_sample(str(interpreter))


def check(interpreter, arguments, env, place, state):
    what = f"{interpreter} {arguments} {env}"
    # -I would ignore the environment.
    traced = trace([interpreter, "-s", *arguments, os.path.join(FOLDER, "sized_objects.py")],
                   bare=False, options="python_allocs=all", env=env)
    expect(traced.status, 0, f"{what}: {traced.stderr}")
    expect(traced.capture["python_objects"]["state"], state, f"{what}: state")
    expect("python" in traced.main.data["spaces"], place == "arenas", f"{what}: space")
    events = list(EVENT.finditer(run([reporter(), "text", traced.dumps[0]]).stdout))
    truths = [json.loads(line) for line in traced.stdout.splitlines()]
    expect(len(truths), 4, what)
    for truth in truths:
        # For each block: the function that acquired it, and the next that released its address.
        ends = {address: [] for address in truth["blocks"]}
        for event in events:
            kind, api, _, size, text = event.groups()
            end = ends.get(int(text, 16))
            if end is None:
                continue
            if kind == "acquire" and size == str(truth["size"]):
                end.append([api])
            elif kind == "release" and end and len(end[-1]) == 1 \
                    and is_object(api) == is_object(end[-1][0]):
                end[-1].append(api)
        if place == "malloc":
            require(not any(is_object(api) for end in ends.values() for one in end for api in one),
                    f"{what}: {truth}")
            continue
        domain = truth["api"].split("_")[0]
        for address, end in ends.items():
            require([truth["api"]] in [one[:1] for one in end], f"{what}: {address:x} {end}")
            freed = any(one[0] == truth["api"] and len(one) == 2 for one in end)
            expect(freed, address in truth["freed"], f"{what}: {domain} {address:x} {end}")
        where, resized_to, by = truth["resized"]
        found = [event for event in events if event.group(2) == by and event.group(1) == "acquire"
                 and int(event.group(5), 16) == where and event.group(4) == str(resized_to)]
        expect(len(found), 1, f"{what}: resized {truth['resized']}")
    large = [event for event in events
             if event.group(4) and 100_300 < int(event.group(4)) < 100_600]
    extra = [event for event in large if is_object(event.group(2))]
    expect(extra, [], f"{what}: objects that left the arenas")
    # The debug allocators request a few more words.
    require(len(large) == 8, f"{what}: large blocks {[event.group(0) for event in large]}")


def is_object(api):
    return api.startswith("Py")


def check_off(interpreter):
    """Arenas are named, and their contents are unknown."""
    traced = trace([interpreter, "-I", os.path.join(FOLDER, "own_objects.py"), "plain"], bare=False,
                   options="python_allocs=off")
    expect(traced.capture["python_objects"], None, interpreter)
    require("python" not in traced.main.data["spaces"], interpreter)
    names = [site["stack"][0]["function"] for site in traced.sites_of("mmap") if site["stack"]]
    expect(names.count("Python's object arenas"), 1, f"{interpreter}: {names}")


def check_sample(interpreter):
    """Estimates are close to the truth, and marked as estimates."""
    base, interval = os.path.join(folder(), "oracle"), 4096
    traced = trace([interpreter, "-I", os.path.join(FOLDER, "own_objects.py"), "kept"],
                   after=["libpythonoracle"], bare=False,
                   options=f"python_allocs=sample,python_sample={interval}",
                   env={"PYTHON_ORACLE_OUTPUT": base}, check_report=False)
    (path,) = glob.glob(base + ".*")
    with open(path, "rb") as file:
        _, _, blocks, frees, size, live_blocks, live_size, _ = struct.unpack("<8s7Q", file.read())
    found = report(traced.dumps[0])
    expect(found.capture["anomalies"], 0, interpreter)
    expect(found.capture["lost_events"], 0, interpreter)
    require(found.data["spaces"]["python"]["is_estimate"], interpreter)
    space = found.space("python")
    # An estimate of n bytes has a variance of at most n * interval. Allow six standard deviations.
    for name, truth in (("bytes", size), ("leaked_bytes", live_size)):
        require(abs(space[name] - truth) <= 6 * math.sqrt(truth * interval) + interval,
                f"{interpreter}: {name} is {truth}, estimated {space[name]}")
    expect(space["allocations"] - space["frees"], space["leaked_blocks"], interpreter)
    sampled = found.capture["python_objects"]["sampled"]
    require(0.5 < sampled * interval / size < 2, f"{interpreter}: {sampled} samples of {size}")
    text = run([reporter(), traced.dumps[0]]).stdout
    require(re.search(r"^  python +~[\d.]+ [KM]iB", text, re.M), text[:2000])
    require(re.search(r"^Peak of python: ~.* in ~", text, re.M), text[:4000])
    require(f"a sample of {sampled:,} objects, one in 4.0 KiB on average" in
            re.sub(r"\s+", " ", text), text[:4000])
