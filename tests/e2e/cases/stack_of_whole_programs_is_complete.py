"""Ordinary programs: no stack is cut, each ends in the thread's first function, and the tables
that this needs are small."""
from harness import expect, require, trace


def test():
    for program in ("exceptions", "thread_destructors", "signal_alternate_stack", "other_stacks",
                    "longjmp", "threads_200", "fork_from_thread"):
        traced = trace(program)
        early = traced.capture["captures_truncated"]
        expect(early, 0, f"cut stacks of {program}")
        tables = traced.capture["shim_tables"]
        require(0 < tables["thread_max_bytes"] <= 256 << 10, f"tables of {program}: {tables}")
        require(tables["stacks_bytes"] < 1 << 20, f"tables of {program}: {tables}")
