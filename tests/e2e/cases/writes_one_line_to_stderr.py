"""At exit there is one line on stderr and nothing on stdout. quiet=1 suppresses even that line."""
from harness import expect, require, trace


def test():
    traced = trace("free_on_other_thread")
    lines = traced.ended.lines_of_memtrace()
    expect(len(lines), 1, f"lines of memtrace ({lines})")
    require(traced.dumps[0] in lines[0], f"the line does not say where the dump is: {lines[0]}")
    require("memtrace-report" in lines[0], f"the line does not say how to read it: {lines[0]}")
    quiet = trace("free_on_other_thread", options="quiet=1")
    expect(quiet.stderr, "", "stderr with quiet=1")
    expect(quiet.own, traced.own, "what was recorded")
