"""Phases by memtrace.h, from C and, by ctypes, from Python: their figures equal the program's own
count to the byte, and every report can be limited to one of them. A name that does not exist is
refused with the names that do. A damaged dump passes no check."""
import os
import re

from harness import PYTHON, expect, folder, report, reporter, require, run, trace
from phases import Phases

BY_CTYPES = """
import ctypes
shim = ctypes.CDLL(None)
shim.memtrace_begin(b"by ctypes")
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
block = libc.malloc(7654321)
shim.memtrace_mark("Umlaut \\u00e4".encode())
shim.memtrace_end(b"by ctypes")
"""


def status_of(dump, *arguments):
    ended = run([reporter(), *arguments, dump])
    return ended.status, ended.stderr


def test():
    traced = trace("phases_of_program")
    counted = {key: int(value) for key, value in re.findall(r"(\w+) (\d+)", traced.stdout)}
    dump = traced.dumps[0]
    phases = Phases(dump)
    phases.expect("work", allocations=counted["count"], allocated_bytes=counted["taken"],
                  rise=counted["rise"], kept_bytes=counted["left"],
                  leaked_bytes=counted["leaked"])
    phases.expect("part", 29)
    phases.expect("ended elsewhere")
    phases.expect("to the end", open=True)
    expect(phases.names("mark"), ["halfway"], "marks")
    expect(phases.data["unpaired_ends"], 1, "ends of nothing")

    work = report(dump, "sites", ["--phase", "work"])
    expect(work.data["phase"]["occurrences"], 1, "occurrences")
    space = work.data["spaces"]["host"]
    expect(space["allocations"], counted["count"], "allocations")
    expect(space["leaked_bytes"], counted["left"], "left")
    expect(space["peak_bytes"], phases.of("work")["spaces"]["host"]["peak_bytes"], "peak")
    for field, total in (("allocations", "allocations"), ("allocated_bytes", "allocated_bytes"),
                         ("at_peak_bytes", "peak_bytes"), ("leaked_bytes", "leaked_bytes")):
        expect(sum(site[field] for site in work.sites), space[total], f"sum over sites, {field}")
    require(any(site["at_peak_bytes"] == 123456 for site in work.sites), "held from before")

    for command in ("summary", "leaks", "peak", "tree"):
        expect(status_of(dump, command, "--phase", "w*k")[0], 0, command)

    peak = space["peak_bytes"]
    fine = ["check", "--phase", "work", "--max-peak-bytes", str(peak)]
    expect(status_of(dump, *fine)[0], 0, "a limit that is kept")
    expect(status_of(dump, *fine[:-1], str(peak - 1))[0], 1, "a limit that is not")
    status, sentence = status_of(dump, "check", "--phase", "wrok", "--max-peak-bytes", "1G")
    expect(status, 2, "a name that does not exist")
    require('"work"' in sentence, sentence)

    hurt = os.path.join(folder(), "hurt.bin")
    with open(dump, "rb") as whole, open(hurt, "wb") as file:
        data = bytearray(whole.read())
        data[-1] ^= 1
        file.write(data)
    expect(status_of(hurt, *fine[:3], "--max-peak-bytes", "1T")[0], 3, "a damaged dump")
    expect(status_of(hurt, "phases")[0], 3, "a damaged dump")

    script = os.path.join(folder(), "by_ctypes.py")
    with open(script, "w", encoding="utf-8") as file:
        file.write(BY_CTYPES)
    traced = trace([PYTHON, script], bare=False)
    phases = Phases(traced.dumps[0])
    phases.expect("by ctypes")
    require(phases.of("by ctypes")["spaces"]["host"]["leaked_bytes"] >= 7654321, "ctypes")
    expect(phases.names("mark"), ["Umlaut ä"], "a mark in UTF-8")
    lines = report(traced.dumps[0], "lines", [script, "--phase", "by ctypes"]).data["lines"]
    require([line for line in lines if line["line"] == 7 and line["space"] == "host"
             and line["self"]["leaked_bytes"] == 7654321], f"lines: {lines}")
