"""A dump that is compacted at any moment, and goes on from there, has the reports of the dump as it
was, to the byte: of programs in C and Python, with threads, phases, mappings, Python's objects,
GPUs and processes that were killed. What needs the events that are gone is refused with a sentence.
"""
# slow
import json
import os
import random
import re
import subprocess

import gpu
from compacted import IN_JSON, REPORTS, ask, recorded
from harness import SOURCE, expect, folder, report, reporter, require, run
from tensors import doubles

MOMENTS = 1


def reports_of(dump):
    found = {report: ask(report.split(), dump) for report in REPORTS}
    for report in IN_JSON:
        found["JSON of " + report] = ask([report, "--json", "-", "--whole-stacks"], dump)
    return found


def compacted(dump, *words):
    path = os.path.join(folder(), "compacted.bin")
    ended = run([reporter(), "compact", dump, "-o", path, *words])
    expect(ended.status, 0, f"status of compact ({ended.stderr})")
    return path


def test():
    chance = random.Random(20261127)
    log = gpu.environment(os.path.join(folder(), "log"))
    for program, *arguments in (("threads_of_python",), ("realloc_moves",),
                                ("ends_by_sigkill",), ("gpu_linked", "pools"),
                                ("gpu_linked", "virtual"), ("torch_blocks",),
                                ("phases_of_program",)):
        env = {"gpu_linked": log, "torch_blocks": doubles()}.get(program)
        options = "python_allocs=all" if program.endswith("python") else ""
        dump = recorded(program, *arguments, env=env, options=options)
        check(dump, program, chance)
    refusals(dump)
    seeds()


def check(dump, program, chance):
    wanted = reports_of(dump)
    duration = json.loads(wanted["JSON of sites"][1])["program"]["duration_ns"]
    moments = [None] + [chance.randrange(duration) for _ in range(MOMENTS)]
    for moment in moments:
        words = [] if moment is None else ["--until", f"{moment / 1e9:.9f}s"]
        found = reports_of(compacted(dump, *words))
        for report, text in wanted.items():
            expect(found[report], text, f"{report} of {program}, compacted {' '.join(words)}")


def refusals(dump):
    before = os.path.getsize(dump)
    with open(dump, "rb") as file:  # A look whether it is compacted must not take from the pipe.
        data = file.read()
    piped = subprocess.run([reporter(), "summary", "/dev/stdin"], input=data, capture_output=True,
                           check=False)
    expect(piped.returncode, 0, f"status of a report of a pipe ({piped.stderr})")
    expect(run([reporter(), "compact", dump]).status, 0, "status of compact in place")
    require(os.path.getsize(dump) < before, "the dump is not smaller")
    for words, why in ((["summary", "--phase", "part"], "was compacted, and "),
                       (["summary", "--phase", "x"], 'no phase has this name; the nearest of 5: "'),
                       (["timeline", "--from", "0s"], "was compacted, and ")):
        ended = run([reporter(), *words, dump])
        expect(ended.status, 2, f"status of {words}")
        require(why in ended.stderr, f"{words} says {ended.stderr!r}")
    with open(dump, "rb") as file:
        data = file.read()
    piped = subprocess.run([reporter(), "summary", "/dev/stdin"], input=data, capture_output=True,
                           check=False)
    expect(piped.returncode, 2, "status of a report of a pipe")
    require(b"was compacted, and it can only be read from a file" in piped.stderr, piped.stderr)
    damaged_headers(dump, data)
    again = run([reporter(), "compact", dump])
    expect(again.status, 0, f"status of a second compaction ({again.stderr})")
    # What is packed anew may be a few bytes less.
    require(re.search("stay as they are|Its reports are the same", again.stdout), again.stdout)


def damaged_headers(dump, data):
    """Whether a dump was compacted does not hang on a bit of a header that is damaged."""
    totals = [space["allocations"] for space in report(dump).data["spaces"].values()]
    path = os.path.join(folder(), "damaged.bin")
    for at in (16, 24):  # the features, the process
        with open(path, "wb") as file:
            file.write(data[:at] + bytes([data[at] ^ 2]) + data[at + 1:])
        damaged = report(path, status=3)
        expect([space["allocations"] for space in damaged.data["spaces"].values()], totals,
               f"allocations, with byte {at} of the header damaged")


def seeds():
    """What is fuzzed must have the form that this reporter reads, or little of it is."""
    corpus = os.path.join(SOURCE, "tests/fuzz/corpus")
    for name in os.listdir(os.path.join(corpus, "past")):
        path, dump = os.path.join(corpus, "past", name), os.path.join(corpus, "dump", name)
        expect(run([reporter(), "summary", path]).status, run([reporter(), "summary", dump]).status,
               f"status of {path} (if its form is an older one, make it anew: memtrace-report "
               f"compact {dump} -o {path})")
