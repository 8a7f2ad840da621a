"""Without a limit on the stack (ulimit -s unlimited), threads and mappings lie elsewhere: the
counts are the same, and the stacks are as complete as ever."""
import resource

from harness import expect, trace


def no_limit():
    _, hard = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (hard, hard))


def test():
    for program in ("threads_200", "other_stacks", "signal_alternate_stack"):
        traced = trace(program, preexec_fn=no_limit)
        expect(traced.capture["captures_truncated"], 0, f"cut stacks of {program}")
