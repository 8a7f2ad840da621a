"""Python's small objects are counted as an oracle in front of the allocator counts them, to the
byte, on every interpreter on this machine: in threads, forks, sub-interpreters, beside
tracemalloc, and until the interpreter has ended."""
# slow
import glob
import os
import struct
import sys

from harness import SOURCE, expect, folder, require, skip, trace

sys.path.insert(0, os.path.join(SOURCE, "tests", "python"))
from interpreters import find_interpreters  # noqa: E402

VERSIONS = ("3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14", "3.15")
PROGRAM = os.path.join(SOURCE, "tests", "python", "own_objects.py")
STORIES = ("plain", "kept", "cycles", "threads", "daemon", "fork", "at_once", "traced",
           "interpreters")
STORIES_OF_ALL = ("kept", "fork", "traced", "interpreters")
FIELDS = ("allocations", "frees", "bytes", "leaked_blocks", "leaked_bytes")


def test():
    interpreters = []
    for version in VERSIONS:
        found = find_interpreters(version)
        interpreters += found
        if not found:
            print(f"skipped: there is no Python {version} here")
    if not interpreters:
        skip("there is no Python with ctypes here")
    for interpreter in interpreters:
        # All stories only for the oldest and the newest interpreter, because they take long.
        ends = (interpreters[0], interpreters[-1])
        for story in STORIES if interpreter in ends else STORIES_OF_ALL:
            check(str(interpreter), story)


def check(interpreter, story):
    base = os.path.join(folder(), "oracle")
    traced = trace([interpreter, "-I", PROGRAM, story], after=["libpythonoracle"], bare=False,
                   options="python_allocs=all", env={"PYTHON_ORACLE_OUTPUT": base})
    what = f"{interpreter} {story}"
    expect(traced.status, 0, f"{what}: exit status; {traced.stderr}")
    expect(traced.stdout.splitlines()[-1:], ["done"], f"{what}: stdout")
    counts = read(base)
    pids = sorted(found.program["pid"] for found in [traced.main, *traced.children])
    expect(sorted(counts), pids, f"{what}: processes")
    require(len(counts) == (2 if story == "fork" else 1), what)
    for found in [traced.main, *traced.children]:
        wanted, inherited = counts[found.program["pid"]]
        gone = found.capture["python_objects"]["gone_with_arenas"]
        space = found.space("python")
        require(space["allocations"] > 1000, f"{what}: {space}")
        if gone != 0:
            # The oracle does not see the release of an arena, which occurs under a sub-interpreter.
            expect(story, "interpreters", f"{what}: {gone} objects are gone with their arenas")
            wanted = {**wanted, **{field: space[field]
                                   for field in ("leaked_blocks", "leaked_bytes")},
                      "frees": wanted["frees"] + gone}
        expect(space, wanted, what)
        if story == "fork" and found.program["forked_from"]:
            require(inherited > 1000, f"{what}: the child freed {inherited} of its parent's")
        # A child continues with its parent's arenas.
        if not found.program["forked_from"]:
            check_arenas(found, what)


def check_arenas(found, what):
    """Checks that the arenas are one site of mappings, and hold what the objects requested."""
    arenas = [site for site in found.sites_of("mmap")
              if site["stack"] and site["stack"][0]["kind"] == "group"]
    expect(len(arenas), 1, f"{what}: sites of arenas")
    expect(arenas[0]["stack"], [{"function": "Python's object arenas", "file": "", "line": 0,
                                 "module": "", "kind": "group"}], what)
    mapped = found.data["spaces"]["mmap"]["classes"]["python_arena"]
    expect(mapped["allocated_bytes"], arenas[0]["allocated_bytes"], what)
    expect(mapped["leaked_bytes"], found.capture["python_objects"]["arena_bytes_at_end"], what)
    peak = found.data["spaces"]["python"]["peak_bytes"]
    require(found.capture["python_objects"]["arena_bytes_at_peak"] >= peak, f"{what}: {peak}")


def read(base):
    """Returns {pid: (the counts, frees of blocks from before the fork)}."""
    counts = {}
    for path in glob.glob(glob.escape(base) + ".*"):
        with open(path, "rb") as file:
            words = struct.unpack("<8s7Q", file.read())
        counts[words[1]] = dict(zip(FIELDS, words[2:7])), words[7]
    return counts
