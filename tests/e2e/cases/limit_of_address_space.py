"""RLIMIT_AS and RLIMIT_DATA: whatever the limit, a program ends as it does bare. Where memtrace would
take a considerable part of what is left, it says so and stays away."""
import resource

from harness import expect, trace

MIB = 1 << 20
RECORDED_FROM = 144  # MiB that are left


def test():
    for name, kind in (("RLIMIT_AS", resource.RLIMIT_AS), ("RLIMIT_DATA", resource.RLIMIT_DATA)):
        for limit in (16, 24, 32, 40, 64, 100, 400):
            def lower(kind=kind, limit=limit):
                resource.setrlimit(kind, (limit * MIB, limit * MIB))
            traced = trace("many_events", 100000, preexec_fn=lower, check_report=False)
            expect(traced.status, 0, f"exit status with {name} of {limit} MiB")
            is_left = "leave" in traced.stderr and "runs unrecorded" in traced.stderr
            expect(is_left, limit < RECORDED_FROM, f"{name} of {limit} MiB: {traced.stderr}")
            if not is_left:
                expect(traced.host["allocations"], 100000, f"allocations with {name}")
