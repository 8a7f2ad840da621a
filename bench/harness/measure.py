# SPDX-License-Identifier: Apache-2.0
"""Runs a command and says what it cost: time, and CPU of every process that it started.

Orphans are adopted (PR_SET_CHILD_SUBREAPER) and waited for, so that helpers which outlive the
command, such as a compressor at the end of a pipe, are counted too.
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
    """The command could not be run, or did not end with exit code 0; the text says more."""


class Run:
    """What one run cost."""

    def __init__(self, wall, cpu, output, rss=None):
        self.wall = wall      # seconds, until the last process had ended
        self.cpu = cpu        # seconds, user and system, of all processes
        self.output = output  # what it printed
        self.rss = rss        # bytes: the largest sum over all processes; None: not sampled


def adopt_orphans():
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def run(command, environment, folder, sample_memory=False):
    """Runs to the end. Sampling takes CPU of its own: such a run is not for timing."""
    log = pathlib.Path(folder) / "output.txt"
    with open(log, "wb") as output:
        start = time.perf_counter()
        try:
            process = subprocess.Popen(command, env=environment, cwd=folder, stdout=output,
                                       stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        except OSError as error:
            raise Failed(f"{command[0]}: {error.strerror}") from None
        sampler = MemorySampler(process.pid) if sample_memory else None
        status, cpu = wait_for_all(process)
        wall = time.perf_counter() - start
    text = log.read_text(errors="replace")
    if status != 0:
        last = (text.strip().splitlines() or ["no output"])[-1]
        raise Failed(f"exit code {status}: {last}")
    return Run(wall, cpu, text, sampler.finish() if sampler else None)


def wait_for_all(process):
    """(exit code of the process, CPU seconds of it and of all that it left behind)"""
    status, cpu = None, 0.0
    while True:
        try:
            pid, raw_status, usage = os.wait4(-1, 0)
        except ChildProcessError:
            return status, cpu
        cpu += usage.ru_utime + usage.ru_stime
        if pid == process.pid:
            status = process.returncode = os.waitstatus_to_exitcode(raw_status)


class MemorySampler(threading.Thread):
    """Adds up the resident memory of a process and its descendants, a hundred times a second."""

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
        pass  # It ended meanwhile.
    return total
