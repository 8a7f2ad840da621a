"""RLIMIT_AS: a program that needs little memory also needs little memory under memtrace."""
import resource

from harness import expect, trace


def test():
    def lower():
        resource.setrlimit(resource.RLIMIT_AS, (100 << 20, 100 << 20))
    traced = trace("many_events", 100000, preexec_fn=lower, check_report=False)
    expect(traced.status, 0, "exit status with 100 MiB of address space")
