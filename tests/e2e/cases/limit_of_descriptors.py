"""RLIMIT_NOFILE is just enough for the program: recording works, or a line says why not."""
import resource

from harness import expect, require, trace


def test():
    for limit in (4, 5, 8):
        def lower(limit=limit):
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
        traced = trace("realloc_moves", preexec_fn=lower, whole=False)
        expect(traced.status, 0, f"exit status with {limit} descriptors")
        require(traced.ended.lines_of_memtrace(), f"nothing was said with {limit} descriptors")
