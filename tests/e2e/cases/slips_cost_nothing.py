"""A word in the wrong place costs no recording, and a name that is none is no good news."""
import os

from harness import expect, folder, reporter, require, run, trace

DUMP_IN_PLACE_OF_A_FILE = (
    ["sites", "--json", "DUMP"], ["sites", "DUMP", "--json", "DUMP"],
    ["html", "DUMP", "-o", "DUMP"],
    ["profile", "DUMP", "-o", "DUMP"], ["merge", "DUMP", "-o", "DUMP"],
    ["baseline", "DUMP", "-o", "DUMP"], ["export", "--format", "pprof", "DUMP", "-o", "DUMP"],
    ["check", "--max-peak-bytes", "1G", "--markdown", "DUMP", "DUMP"],
    ["check", "--max-peak-bytes", "1G", "--junit", "DUMP", "DUMP"],
    ["check", "--max-peak-bytes", "1G", "--sarif", "DUMP", "DUMP"])


def refused(words, dump, said):
    words = [dump if word == "DUMP" else word for word in words]
    ended = run([reporter(), *words], cwd=os.path.dirname(dump))
    expect(ended.status, 2, f"status of {words} ({ended.stderr})")
    require(said in ended.stderr, f"{words} says {ended.stderr!r}")


def test():
    # It is the newest of its folder, so a report that is given no dump reads it.
    dump = os.path.join(folder(), "memtrace.7.bin")
    os.rename(trace("every_heap_function", bare=False).dumps[0], dump)
    with open(dump, "rb") as file:
        before = file.read()
    for words in DUMP_IN_PLACE_OF_A_FILE:
        refused(words, dump, "which would be lost" if "export" not in words else "recording")
        with open(dump, "rb") as file:
            require(file.read() == before, f"{words} has changed the dump")
    for report in ("summary", "sites", "growth", "leaks", "peak", "check --max-peak-bytes 1G"):
        refused([*report.split(), "--space", "hots", "DUMP"], dump,
                "has no such space; it has: host")
    ended = run([reporter(), "timeline", "--space", "resident", dump])
    expect(ended.status, 0, f"status of a timeline of the resident set ({ended.stderr})")
    refused(["diff", "--space", "hots", "DUMP", "DUMP"], dump, "none of the 2 recordings has")
    refused(["sites", "--function=", "DUMP"], dump, "has no value")
