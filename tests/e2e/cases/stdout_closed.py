"""A program starts without stdout, stdin or stderr: recording uses none of the small descriptor
numbers."""
import os

from harness import expect, trace


def test():
    for missing in ((0,), (1,), (2,), (0, 1, 2)):
        def close_them(missing=missing):
            for fd in missing:
                os.close(fd)
        traced = trace("closes_all_descriptors" if missing == (0,) else "realloc_moves",
                       preexec_fn=close_them)
        expect(traced.status, 0, f"without {missing}")
        expect(traced.host["frees"] > 0, True, f"recorded without {missing}")
