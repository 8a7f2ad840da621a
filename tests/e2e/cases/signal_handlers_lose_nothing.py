"""A handler interrupts malloc itself thousands of times: each of its blocks is recorded, and
main's blocks too."""
from harness import expect, trace


def test():
    traced = trace("signal_handler_allocates", after=["lib_bump_allocator"], same_stderr=False)
    in_main, in_handler = map(int, traced.ended.stderr_of_program()[0].split())
    expect(traced.host["allocations"], in_main + 2 * in_handler, "allocations")
    expect(traced.host["frees"], in_main + 2 * in_handler, "frees")
