# Runs programs that use CUDA's driver on its stand-in (tests/doubles/libcuda), and compares their
# dumps line by line with the log of the stand-in.
import glob
import os
import re

import harness
from harness import BUILD, expect, require, run, trace

DOUBLE = os.path.join(BUILD, "doubles", "libcuda")
IN_LOG = ("gpu_acquire", "gpu_release", "gpu_retain", "gpu_map", "gpu_unmap", "gpu_context")
NOT_IN_LOG = ("lane", "time", "stack", "lead")


class Line(dict):
    """A line of `memtrace-report text`. Its first word is `name`, the others are key=value."""

    def __init__(self, text):
        self.name, _, rest = text.strip().partition(" ")
        super().__init__((key, value_of(value)) for key, value in
                         re.findall(r'(\w+)=("[^"]*"|\S+)', rest))

    def logged(self):
        return (self.name, *sorted((key, value) for key, value in self.items()
                                   if key not in NOT_IN_LOG))


def value_of(text):
    if text.startswith('"'):
        return text[1:-1]
    try:
        return int(text, 0)
    except ValueError:
        return text


def environment(log, **more):
    """Returns the variables by which a program finds the stand-in, and the stand-in its log."""
    return {"LD_LIBRARY_PATH": DOUBLE, "CUDA_DOUBLE_LOG": log, **more}


class GpuRun:
    """A program on the stand-in, under memtrace."""

    def __init__(self, program, *arguments, env=None, statuses=(0,), **more):
        log = os.path.join(harness.folder(), "log")
        self.traced = trace(program, *arguments, env=environment(log, **(env or {})), **more)
        require(self.traced.dumps, f"no dump; {self.traced.stderr}")
        self.lines = lines_of(self.traced.dumps[0], statuses)
        pid = next(line for line in self.lines if line.name == "process")["pid"]
        self.log = []
        for path in glob.glob(f"{glob.escape(log)}.{pid}"):
            with open(path) as file:
                self.log += [Line(text) for text in file]

    def of(self, *names):
        return [line for line in self.lines if line.name in names]

    def notes(self):
        return [line["text"] for line in self.of("note") if line["subject"] == "gpu coverage"]

    def expect_log(self, in_order=True):
        """Checks that the dump has exactly the calls that the driver granted, unchanged."""
        found = [line.logged() for line in self.of(*IN_LOG)]
        wanted = [line.logged() for line in self.log]
        if not in_order:
            found, wanted = sorted(found), sorted(wanted)
        require(wanted, "the stand-in logged nothing")
        for number, pair in enumerate(zip(found, wanted)):
            expect(pair[0], pair[1], f"record {number}")
        expect(len(found), len(wanted), "number of records")
        return self

    def expect_source(self):
        """Checks that there is one source, and that each device is described before it is named."""
        sources = self.of("gpu_source")
        expect([line["backend"] for line in sources], ["driver"], "sources")
        known = set()
        for line in self.lines:
            if line.name == "gpu_device":
                known.add(line["device"])
            elif line.name.startswith("gpu_") and "device" in line and line["device"] not in known:
                require(line.get("memory") in ("reserved", "imported", "physical_host", "pinned"),
                        f"names a device that was not said: {line.name} {line}")
        return self


def lines_of(dump, statuses=(0,)):
    ended = run([harness.reporter(), "text", dump])
    require(ended.status in statuses,
            f"memtrace-report text ended with {ended.status}, not {statuses}: {ended.stderr}")
    return [Line(text) for text in ended.stdout.splitlines()]
