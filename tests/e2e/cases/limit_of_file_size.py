"""RLIMIT_FSIZE: writing past it would kill the program by SIGXFSZ, so memtrace stops before and
counts the lost events; also if the program lowers the limit below what is written already."""
import os
import resource

from harness import PYTHON, expect, folder, report, require, run, shim, trace

LOWERS = """import resource
for size in (None, 50000):
    if size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    for i in range(200000): bytearray(1000 + i % 7000)
print("done")
"""


def test():
    for limit in (1000, 20000, 500000):
        def lower(limit=limit):
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        traced = trace("many_events", 600000, preexec_fn=lower, check_report=False)
        expect(traced.status, 0, f"exit status with files of at most {limit} bytes")
        for dump in traced.dumps:
            found = report(dump, status=3)
            require(found.capture["lost_events"] > 0, f"{limit}: no loss is counted")

    dump = os.path.join(folder(), "lowered.bin")
    ended = run([PYTHON, "-c", LOWERS], env={**os.environ, "LD_PRELOAD": shim(),
                                             "MEMTRACE_OUTPUT": dump})
    expect((ended.status, ended.stdout), (0, "done\n"), "a limit that is lowered")
    require(report(dump, status=3).capture["lost_events"] > 0, "lowered: no loss is counted")
