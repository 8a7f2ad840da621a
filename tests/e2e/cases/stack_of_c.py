"""Functions, file and lines of a C program stand in the report as they stand in its source."""
import os

from harness import SOURCE, expect, function_of, require, trace


def lines_of(source):
    with open(os.path.join(SOURCE, "tests", "programs", source)) as file:
        return {line.split("line: ")[1].strip(): number
                for number, line in enumerate(file, 1) if "// line: " in line}


def test():
    lines = lines_of("stack_of_c.c")
    outer = [("outermost", "outermost 111"), ("main", "main outermost")]
    wanted = {111: outer, 222: [("outermost", "outermost 222"), outer[1]], 333: [("main", "main middle")]}
    traced = trace("stack_of_c")
    expect(traced.host["allocations"], 3, "allocations")
    for site in traced.sites:
        frames = [frame for frame in site["stack"] if os.path.basename(frame["file"]) == "stack_of_c.c"]
        found = [(function_of(frame), frame["line"]) for frame in frames]
        callers = [("innermost", "innermost"), ("middle", "middle"), *wanted[site["allocated_bytes"]]]
        expect(found, [(name, lines[line]) for name, line in callers], f"{site['allocated_bytes']} bytes")
        require(site["stack"][0] == frames[0], f"the innermost frame is {site['stack'][0]}")
        functions = [function_of(frame) for frame in site["stack"]]
        require("_start" in functions[-1] or "__libc_start" in functions[-1], f"outermost: {functions}")
