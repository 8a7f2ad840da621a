"""Functions, file and lines of a C program are the same in the report as in its source."""
import os

from harness import SOURCE, expect, function_of, require, trace


def lines_of(source):
    with open(os.path.join(SOURCE, "tests", "programs", source)) as file:
        return {line.split("line: ")[1].strip(): number
                for number, line in enumerate(file, 1) if "// line: " in line}


def test():
    lines = lines_of("stack_of_c.c")
    wanted = {111: [("outermost", "outermost 111"), ("main", "main outermost")],
              222: [("outermost", "outermost 222"), ("main", "main outermost")],
              333: [("main", "main middle")]}
    traced = trace("stack_of_c")
    expect(traced.host["allocations"], 3, "allocations")
    for site in traced.sites:
        size, stack = site["allocated_bytes"], site["stack"]
        frames = [frame for frame in stack if os.path.basename(frame["file"]) == "stack_of_c.c"]
        found = [(function_of(frame), frame["line"]) for frame in frames]
        callers = [("innermost", "innermost"), ("middle", "middle"), *wanted[size]]
        expect(found, [(name, lines[line]) for name, line in callers], f"block of {size} bytes")
        require(stack[0] == frames[0], f"the innermost frame is {stack[0]}")
        require("_start" in function_of(stack[-1]), f"the outermost frame is {stack[-1]}")
