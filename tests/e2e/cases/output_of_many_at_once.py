"""Processes that start at once over the dump of an earlier one each keep a dump of their own: a
fixed name is cleared by one of them only, and never when it is a living process's. (The kernel
tells when a process began in units of 10 ms, so they run for longer.)"""
import glob
import os
import subprocess

from harness import built, environment, expect, folder, report, shim

PROCESSES = 6


def test():
    for turn in range(8):
        path = os.path.join(folder(), "x.bin")
        env = environment([shim()], options="quiet=1", output=path)
        subprocess.run([built("many_events"), "10"], env=env, check=True)
        together = [subprocess.Popen([built("many_events"), "400000"], env=env,
                                     stdout=subprocess.DEVNULL) for _ in range(PROCESSES)]
        expect([process.wait() for process in together], [0] * PROCESSES, "exit statuses")
        dumps = glob.glob(path + "*")
        expect(sorted(report(dump).program["pid"] for dump in dumps),
               sorted(process.pid for process in together), f"turn {turn}: the processes of dumps")
