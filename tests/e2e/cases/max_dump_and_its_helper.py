"""max_dump: if the process that compacts the dump is killed, or a compaction is, the dump says so,
and what came of it. A limit on the length of files, which counts the holes of the dump, makes a
sample and ends nothing without a word."""
# slow
import json
import os
import resource
import signal
import subprocess
import time

from harness import SLOW, built, environment, expect, folder, reporter, require, run, shim
from kill import helpers_of, on_disk
from launch import launcher

LIMIT = 4 << 20
ROUNDS, REST_US = 200_000, 20_000


def start(options, preexec=None, rounds=ROUNDS):
    dump = os.path.join(folder(), "dump.bin")
    return dump, subprocess.Popen(
        [built("max_dump_heap"), str(rounds), str(REST_US)], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, preexec_fn=preexec,
        env=environment([shim()], options=options, output=dump))


def notes_of(dump):
    ended = run([reporter(), "info", "--json", "-", dump], environment([]))
    found = json.loads(ended.stdout)
    notes = [note["text"] for note in found["notes"] if note["subject"] == "compaction"]
    summary = " ".join(run([reporter(), dump], environment([])).stdout.split())
    for note in notes:
        require(" ".join(note.split()) in summary, f"the summary does not say: {note}")
    return found, notes


def children_of(number):
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/stat") as file:
                if file.read().rpartition(") ")[2].split()[1] == str(number):
                    found.append(int(process))
        except OSError:
            continue
    return found


def kill_when(dump, process, find):
    """Kills what find() finds, again and again, until the program ends. Returns how many."""
    killed, deadline = 0, time.monotonic() + 120 * SLOW
    while process.poll() is None and time.monotonic() < deadline:
        for number in find(dump) if os.path.exists(dump) else []:
            try:
                os.kill(number, signal.SIGKILL)
                killed += 1
            except ProcessLookupError:
                pass
        time.sleep(0.002)
    expect(process.wait(), 0, "exit status of the program")
    process.stdout.close()
    process.stderr.close()
    return killed


def helper_is_killed():
    dump, process = start(f"max_dump={LIMIT}")
    killed = kill_when(dump, process, helpers_of)
    found, notes = notes_of(dump)
    print(f"{killed} helpers killed: {notes}")
    require(killed > 0, "no helper was killed: nothing is shown")
    require(any("had ended before the program" in note or "had ended at once" in note
                for note in notes), f"nothing is said: {notes}")
    require(found["capture"]["mode"] == "full"
            or any("turned to a sample" in note for note in notes), f"of the turn: {notes}")


def compactions_are_killed():
    dump, process = start(f"max_dump={LIMIT}")
    killed = kill_when(dump, process,
                       lambda path: [child for one in helpers_of(path)
                                     for child in children_of(one)])
    _, notes = notes_of(dump)
    print(f"{killed} compactions killed: {notes}")
    require(killed > 0, "no compaction was killed: nothing is shown")
    require(any("ended by signal 9" in note for note in notes), f"nothing is said: {notes}")


def nobody_is_killed():
    dump, process = start(f"max_dump={LIMIT}", rounds=ROUNDS // 4)
    expect(kill_when(dump, process, lambda path: []), 0, "kills")
    found, notes = notes_of(dump)
    if found["capture"]["mode"] == "full":
        expect(notes, [], "notes of a recording that went as it should")


def length_is_limited():
    limit = 12 << 20

    def lower():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    dump, process = start(f"max_dump={LIMIT}", preexec=lower, rounds=ROUNDS * 3)
    _, said = process.communicate(timeout=300 * SLOW)
    expect(process.returncode, 0, f"exit status ({said})")
    found, notes = notes_of(dump)
    print(f"{os.path.getsize(dump)} bytes long, {on_disk(dump)} on the disk: {notes}")
    require(os.path.getsize(dump) <= limit, "the dump is longer than allowed")
    expect(found["capture"]["mode"], "sample", "mode")
    expect(found["capture"]["lost_events"], 0, f"lost events ({said})")
    require(any("ulimit -f" in note for note in notes), f"the limit is not named: {notes}")
    ended = run([launcher(), "doctor"], environment([]), cwd=folder(), preexec_fn=lower)
    require("ulimit -f" in ended.stdout, f"doctor does not warn: {ended.stdout}{ended.stderr}")


def test():
    nobody_is_killed()
    helper_is_killed()
    compactions_are_killed()
    length_is_limited()
