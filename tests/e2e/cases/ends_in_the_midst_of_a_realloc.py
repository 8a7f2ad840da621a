"""A program that is killed, or exits, while other threads are in the midst of a realloc: the old
address may be another thread's by then, which is no contradiction, and is said."""
import os
import subprocess

from harness import built, environment, expect, folder, report, require, shim

TIMES = 25


def end_once(how, number):
    dump = os.path.join(folder(), f"{how}{number}.bin")
    subprocess.run([built("resizes_when_killed"), how], stderr=subprocess.DEVNULL,
                   env=environment([shim()], {"MALLOC_ARENA_MAX": "1"}, "quiet=1", dump))
    found = report(dump, "summary", status=None)
    os.unlink(dump)
    expect(found.capture["anomalies"], 0, f"{how} {number}: contradictions between events")
    return sum("realloc" in note["text"] for note in found.data["notes"])


def test():
    said = sum(end_once(how, number) for how in ("kill", "exit") for number in range(TIMES))
    require(said > 0, f"in none of {2 * TIMES} runs an address had been handed out again: nothing "
            "is shown")
    print(f"{said} of {2 * TIMES} ends were in the midst of a realloc")
