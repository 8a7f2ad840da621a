"""memtrace run finds itself where /proc is not mounted, by the path with which it was started."""
import os
import shlex

from harness import BUILD, built, environment, expect, folder, require, run, skip


def test():
    if os.geteuid() != 0:
        skip("only root may take /proc away")
    launcher = os.path.join(BUILD, "memtrace")
    for command in (launcher, os.path.relpath(launcher)):
        dump = os.path.join(folder(), "dump.bin")
        words = shlex.join([command, "run", "--", built("many_events")])
        ended = run(["unshare", "-m", "sh", "-c", f"umount -l /proc || exit 77; {words}"],
                    env=environment([], output=dump))
        if ended.status == 77:
            skip("/proc cannot be unmounted here")
        expect(ended.status, 0, f"exit status; {ended.stderr}")
        require(os.path.getsize(dump) > 0, "an empty dump")
