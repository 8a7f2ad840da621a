"""MEMTRACE_OPTIONS=children=some: one line names the word. The program runs as usual and leaves
no dump."""
from harness import expect, require, trace


def test():
    traced = trace("fork_child_exits", options="children=some")
    lines = traced.ended.lines_of_memtrace()
    expect(len(lines), 1, f"lines of memtrace ({lines})")
    require("children" in lines[0], f"the line does not name the wrong word: {lines[0]}")
    expect(traced.dumps, [], "dumps")
