"""A program has not read the loader's last error when memtrace calls the loader on the way of one
of its calls. The message that is dropped then is a block of the program: nothing contradicts
itself, and the program sees no message that is not its own."""
import os

from harness import BUILD, expect, report, trace

DRIVER = os.path.join(BUILD, "doubles", "libcuda")


def test():
    for what in ("nvtx", "driver", "jit"):
        traced = trace("loader_errors", what, env={"LD_LIBRARY_PATH": DRIVER})
        expect(traced.stdout.splitlines()[-1], "no error of another", f"{what}: dlerror()")
        found = report(traced.dumps[0])
        expect(found.capture["anomalies"], 0, f"{what}: contradictions between events")
