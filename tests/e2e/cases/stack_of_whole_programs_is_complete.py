"""Ordinary programs: no stack is cut, each ends in the thread's first function."""
from harness import expect, trace


def test():
    for program in ("exceptions", "thread_destructors", "signal_alternate_stack", "other_stacks",
                    "longjmp", "threads_200", "fork_from_thread"):
        traced = trace(program)
        early = traced.capture["captures_truncated"]
        expect(early, 0, f"cut stacks of {program}")
