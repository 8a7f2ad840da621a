"""A full disk: no crash, no SIGBUS. The program ends as usual, and what was recorded until then
can be read."""
import os
import subprocess

from harness import environment, expect, folder, report, require, run, shim, skip, built


def test():
    for size in ("8k", "64k", "256k", "1m"):
        where = folder()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", where],
                                 stderr=subprocess.PIPE)
        if mounted.returncode != 0:
            skip(f"a small file system cannot be mounted: {mounted.stderr.decode().strip()}")
        try:
            ended = run([built("many_events"), "600000"],
                        environment([shim()], output=os.path.join(where, "dump.bin")), timeout=120)
            expect(ended.status, 0, f"exit status on {size} ({ended.stderr})")
            require(ended.lines_of_memtrace(), f"{size}: nothing was said about the full disk")
            for name in os.listdir(where):
                found = report(os.path.join(where, name), status=3)
                require(found.problems, f"{size}: an incomplete dump without a problem")
                lost, kept = found.capture["lost_events"], found.host["allocations"]
                require(lost > 0, f"{size}: {kept} of 600000 allocations, and no loss is counted")
        finally:
            subprocess.run(["umount", where])
