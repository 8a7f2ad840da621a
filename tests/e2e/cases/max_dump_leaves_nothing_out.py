"""max_dump: a helper compacts the dump while the program runs, so it stays small and has
everything: to the byte, whoever is killed at whatever instant. The program never sees the helper.
"""
# slow
import os
import shutil
import subprocess
import time

from harness import (BUILD, built, environment, expect, folder, report, reporter, require, run,
                     shim)
from kill import kill_while_compacted, on_disk

ROUNDS, REST_US = 250_000, 20_000
LIMIT = 16 << 20
KILLS, KILLS_MAX = 12, 40  # more, until one was of a dump that was compacted


def record(options, where=None):
    """Returns the dump, what the program says of itself, and the most that the dump took."""
    dump = os.path.join(folder(), "dump.bin")
    process = subprocess.Popen([built("max_dump_heap"), str(ROUNDS), str(REST_US)],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=environment([where or shim()], options=options, output=dump))
    largest = 0
    while process.poll() is None:
        if os.path.exists(dump):
            largest = max(largest, on_disk(dump))
        time.sleep(0.005)
    out, err = process.communicate()
    expect(process.returncode, 0, f"exit status; 2: it has seen a child ({err.decode()})")
    rows = [line.split() for line in out.decode().splitlines()]
    return dump, {name: (int(took), int(left)) for name, took, left in rows}, largest


def test():
    everything_is_there()
    kills()
    without_a_helper()


def everything_is_there():
    for _ in range(3):
        dump, truths, largest = record(f"max_dump={LIMIT}")
        found = report(dump)
        if found.capture["mode"] == "full":
            break
        print("the helper had too little of the processor; once more")
    expect(found.capture["mode"], "full", "mode")
    require(largest <= LIMIT, f"the dump took {largest} bytes, {LIMIT} are allowed")
    require(os.path.getsize(dump) > LIMIT / 2, "without a helper, it would have stayed as it is")
    require(on_disk(dump) + (1 << 20) < os.path.getsize(dump),
            f"it takes {on_disk(dump)} bytes, and was not compacted")
    expect(found.capture["anomalies"], 0, "contradictions")
    for name, (took, left) in truths.items():
        sites = [site for site in found.sites if site["space"] == "host"
                 and any(frame["function"] == name for frame in site["stack"])]
        expect(sum(site["allocated_bytes"] for site in sites), took, f"bytes of {name}")
        expect(sum(site["leaked_bytes"] for site in sites), left, f"bytes of {name} that are left")
    the_rest(dump)


def the_rest(dump):
    """What needs events says so, and a final compaction makes it a file as any."""
    ended = run([reporter(), "text", dump])
    expect(ended.status, 2, "status of text")
    require("was compacted, and " in ended.stderr, ended.stderr)
    ended = run([reporter(), "summary", "--from", "1s", dump])
    require("Record without max_dump to have it" in ended.stderr, ended.stderr)
    before = report(dump).data["spaces"]
    small = os.path.join(folder(), "small.bin")
    ended = run([reporter(), "compact", dump, "-o", small])
    expect(ended.status, 0, f"status of compact ({ended.stderr})")
    expect(report(small).data["spaces"], before, "figures of the dump that was compacted at rest")
    require(os.path.getsize(small) <= on_disk(dump), "compacted at rest, it is larger")


def kills():
    killed = kill_while_compacted(KILLS, KILLS_MAX)
    print(killed)
    require(killed.compacted > 0, "no dump was compacted: nothing is shown")


def without_a_helper():
    """Where none can run, or shall, the recording turns to a sample, and the dump says why."""
    alone = os.path.join(folder(), "alone")
    os.mkdir(alone)
    shutil.copy(os.path.join(BUILD, "libmemtrace.so"), alone)
    for where, options, why in ((os.path.join(alone, "libmemtrace.so"), "", "is not beside"),
                                (None, ",compact=0", None)):
        dump, _, _ = record(f"max_dump={4 << 20}{options}", where)
        found = report(dump)
        expect(found.capture["mode"], "sample", f"mode with {options!r}")
        notes = [note["text"] for note in found.data["notes"] if note["subject"] == "compaction"]
        expect(len(notes), 0 if why is None else 1, f"notes of why with {options!r}")
        require(why is None or why in notes[0], f"it says: {notes}")
