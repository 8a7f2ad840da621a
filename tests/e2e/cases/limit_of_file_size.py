"""RLIMIT_FSIZE: writing past it would kill the program by SIGXFSZ, so memtrace stops before and
counts the lost events."""
import resource

from harness import expect, report, require, trace


def test():
    for limit in (1000, 20000, 500000):
        def lower(limit=limit):
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        traced = trace("many_events", 600000, preexec_fn=lower, check_report=False)
        expect(traced.status, 0, f"exit status with files of at most {limit} bytes")
        for dump in traced.dumps:
            found = report(dump, status=3)
            require(found.capture["lost_events"] > 0, f"{limit}: no loss is counted")
