"""Python's frames in stacks are those that the program reports itself, line for line, on every
interpreter on this machine, and stand between native frames."""
import json
import os
import sys

from harness import SOURCE, expect, report, require, skip, trace

sys.path.insert(0, os.path.join(SOURCE, "tests", "python"))
from interpreters import find_interpreters  # noqa: E402

VERSIONS = ("3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14", "3.15")
PROGRAM = os.path.join(SOURCE, "tests", "python", "own_stacks.py")


def test():
    count = 0
    for version in VERSIONS:
        interpreters = find_interpreters(version)
        for interpreter in interpreters:
            check(str(interpreter), version)
            count += 1
        if not interpreters:
            print(f"skipped: there is no Python {version} here")
    if count == 0:
        skip("there is no Python with ctypes here")


def check(interpreter, version):
    traced = trace([interpreter, "-I", PROGRAM], bare=False)
    expect(traced.status, 0, f"exit status under {interpreter}: {traced.stderr}")
    require(traced.capture["python"].startswith(f"on ({version}."), traced.capture["python"])
    truths = blocks_by_stack(traced.stdout)
    require(len(truths) >= 20, f"{interpreter} allocated from {len(truths)} places")
    found = {}
    for site in large(report(traced.dumps[0], arguments=["--whole-stacks"]).sites):
        stack = [[frame["file"], frame["line"], frame["function"]] for frame in site["stack"]
                 if frame["kind"] == "python"]
        blocks = found.setdefault(json.dumps(stack), [0, 0])
        blocks[0] += site["allocations"]
        blocks[1] += site["allocated_bytes"]
    for stack in {**truths, **found}:
        what = f"{interpreter}: blocks and bytes of {stack[:500]}"
        expect(found.get(stack), truths.get(stack), what)
    whole = report(traced.dumps[0], arguments=["--interpreter-frames", "--whole-stacks"])
    for site in large(whole.sites):
        check_order(interpreter, site["stack"])


def large(sites):
    """Returns the sites of the program's own blocks. Nothing else on the heap has blocks of this
    size. (Python's arenas together can reach it.)"""
    return [site for site in sites
            if site["space"] == "host" and site["allocated_bytes"] >= 10_000_000]


def blocks_by_stack(stdout):
    """Returns {frames: [blocks, bytes]}. A line that runs again has the same stack."""
    blocks = {}
    for line in stdout.splitlines():
        size, frames = json.loads(line)
        of_stack = blocks.setdefault(json.dumps(frames), [0, 0])
        of_stack[0] += 1
        of_stack[1] += size
    return blocks


def check_order(interpreter, frames):
    """ctypes and the C library are inside Python's frames, the start of the process outside."""
    kinds = [frame["kind"] for frame in frames]
    require(kinds[0] != "python" and kinds[-1] != "python", f"{interpreter}: {frames}")
    for i, frame in enumerate(frames):
        if frame["function"] == "compare":
            require(kinds[i + 1] != "python", f"{interpreter}: compare() is called by C: {frames}")
