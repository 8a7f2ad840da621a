# SPDX-License-Identifier: Apache-2.0
"""Runs a command and measures its cost: time, and CPU of every process that it started.

It adopts orphans (PR_SET_CHILD_SUBREAPER) and waits for them. So helpers that outlive the command,
such as a compressor at the end of a pipe, are counted too.
"""

import ctypes
import os
import pathlib
import subprocess
import threading
import time

PR_SET_CHILD_SUBREAPER = 36
SAMPLE_SECONDS = 0.01


class Failed(Exception):
    """The command could not be run, or its exit code was not 0. The text gives the reason."""


class Run:
    """The cost of one run."""

    def __init__(self, wall, cpu, peak, output, rss=None):
        self.wall = wall      # seconds until the end of the last process
        self.cpu = cpu        # user and system seconds of all processes
        self.peak = peak      # bytes, the most resident memory of any one process, exactly
        self.output = output  # text that the command printed
        self.rss = rss        # bytes, the largest sum over all processes; None if not sampled


def adopt_orphans():
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def run(command, environment, folder, sample_memory=False):
    """Runs the command to its end. Sampling takes CPU, so such a run must not be timed."""
    log = pathlib.Path(folder) / "output.txt"
    with open(log, "wb") as output:
        start = time.perf_counter()
        try:
            process = subprocess.Popen(command, env=environment, cwd=folder, stdout=output,
                                       stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        except OSError as error:
            raise Failed(f"{command[0]}: {error.strerror}") from None
        sampler = MemorySampler(process.pid) if sample_memory else None
        status, cpu, peak = wait_for_all(process)
        wall = time.perf_counter() - start
    text = log.read_text(errors="replace")
    if status != 0:
        last = (text.strip().splitlines() or ["no output"])[-1]
        raise Failed(f"exit code {status}: {last}")
    return Run(wall, cpu, peak, text, sampler.finish() if sampler else None)


def wait_for_all(process):
    """Returns (exit code of the process, CPU seconds of all its descendants too, most memory).

    The memory is that of the largest process, as the kernel kept it. The kernel counts from the
    fork on, so it is never less than what this program itself has.
    """
    status, cpu, peak = None, 0.0, 0
    while True:
        try:
            pid, raw_status, usage = os.wait4(-1, 0)
        except ChildProcessError:
            return status, cpu, peak
        cpu += usage.ru_utime + usage.ru_stime
        peak = max(peak, usage.ru_maxrss * 1024)
        if pid == process.pid:
            status = process.returncode = os.waitstatus_to_exitcode(raw_status)


class MemorySampler(threading.Thread):
    """Adds up the resident memory of a process and its descendants, 100 times a second."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid = pid
        self.largest = 0
        self.stopped = threading.Event()
        self.start()

    def run(self):
        while not self.stopped.wait(SAMPLE_SECONDS):
            self.largest = max(self.largest, resident_of_tree(self.pid))

    def finish(self):
        self.stopped.set()
        self.join()
        return self.largest


def resident_of_tree(pid):
    total = 0
    try:
        pages = pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]
        total = int(pages) * os.sysconf("SC_PAGE_SIZE")
        for children in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
            total += sum(resident_of_tree(int(child)) for child in children.read_text().split())
    except (OSError, IndexError):
        pass  # The process ended meanwhile.
    return total
