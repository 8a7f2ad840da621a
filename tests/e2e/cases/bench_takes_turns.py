"""scripts/measure/bench-loop starts a program several times and lets the processes work in turns.
Each works as often as requested, under its tool. A process that dies is named, with the last line
that it printed."""
import os
import pathlib
import sys

from harness import BUILD, SOURCE, expect, folder, report, require

sys.path.insert(0, os.path.join(SOURCE, "bench", "harness"))
import measure  # noqa: E402
import profilers  # noqa: E402
import turns  # noqa: E402

# Allocates a large block for each step. A request for 13 steps makes it die.
WORKER = """import ctypes, sys, time
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]
with open(sys.argv[1]) as asked, open(sys.argv[2], "w") as answered:
    for line in asked:
        if line.strip() == "13":
            sys.exit("thirteen is too many")
        start = time.perf_counter()
        for _ in range(int(line)):
            libc.free(libc.malloc(123457))
        print(time.perf_counter() - start, time.process_time(), file=answered, flush=True)
"""


def take_turns(place, rounds, steps):
    root = pathlib.Path(folder()) / place
    root.mkdir()
    worker = root / "worker.py"
    worker.write_text(WORKER)
    build = pathlib.Path(BUILD).resolve()
    runs = {"bare": profilers.Bare(), "memtrace": profilers.Memtrace(build)}
    found = turns.take_turns(runs, [sys.executable, worker], {}, rounds, steps, root)
    return found, root / "1" / "memtrace.bin"


def test():
    found, dump = take_turns("whole", rounds=5, steps=3)
    expect(sorted(found), ["bare", "memtrace"], "programs")
    for name, its_turns in found.items():
        expect(len(its_turns), 5, f"turns of {name}")
        require(all(turn.wall > 0 for turn in its_turns), f"{name}: {its_turns}")
    blocks = [site for site in report(dump).sites
              if site["space"] == "host" and site["allocated_bytes"] % 123457 == 0
              and site["allocations"] == site["allocated_bytes"] / 123457]
    expect(sum(site["allocations"] for site in blocks), 5 * 3 + turns.WARM_UP_STEPS,
           "blocks of the worker under memtrace")
    try:
        take_turns("dies", rounds=1, steps=13)
    except measure.Failed as failure:
        require("ended: thirteen is too many" in str(failure), str(failure))
    else:
        require(False, "a worker that died was not missed")
