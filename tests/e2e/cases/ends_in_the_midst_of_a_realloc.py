"""A program that is killed, or exits, while other threads are in the midst of a realloc: the old
address may be another thread's by then, which is no contradiction, and is said."""
import os
import subprocess

from harness import built, environment, expect, folder, report, require, shim

TIMES = 25
ROUNDS_MAX = 12  # An address is handed out again in one of a hundred such ends or so.


def end_once(how, number):
    dump = os.path.join(folder(), f"{how}{number}.bin")
    subprocess.run([built("resizes_when_killed"), how], stderr=subprocess.DEVNULL,
                   env=environment([shim()], {"MALLOC_ARENA_MAX": "1"}, "quiet=1", dump))
    found = report(dump, "summary", status=None)
    os.unlink(dump)
    expect(found.capture["anomalies"], 0, f"{how} {number}: contradictions between events")
    return sum("realloc" in note["text"] for note in found.data["notes"])


def test():
    said = runs = 0
    while said == 0 and runs < ROUNDS_MAX * 2 * TIMES:
        said += sum(end_once(how, number) for how in ("kill", "exit") for number in range(TIMES))
        runs += 2 * TIMES
    require(said > 0, f"in none of {runs} runs an address had been handed out again: nothing is "
            "shown")
    print(f"{said} of {runs} ends were in the midst of a realloc")
