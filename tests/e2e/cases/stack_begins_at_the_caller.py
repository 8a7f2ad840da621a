"""For each allocation function of the table, the stack begins in the line of the program that
called it, and contains nothing of memtrace."""
import os

from harness import expect, function_of, require, trace


def test():
    for program in ("every_heap_function", "every_map_function"):
        traced = trace(program, same_stderr=False)
        stacks = [site["stack"] for site in traced.sites]
        require(len(stacks) >= 4, f"{program} has only {len(stacks)} call sites")
        for stack in stacks:
            innermost = stack[0]
            expect(os.path.basename(innermost["file"]), f"{program}.c", "file of the caller")
            expect(function_of(innermost), "main", "function of the caller")
            own = [frame for frame in stack if "libmemtrace" in frame.get("module", "")]
            expect(own, [], "frames of memtrace")
