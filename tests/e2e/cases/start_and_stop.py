"""A program is recorded when memtrace start asks for it, and no more when memtrace stop does. What
is recorded is exact, and of the rest nothing is pretended."""
# slow
import json
import os
import shutil
import signal
import subprocess
import time

from harness import (PYTHON, Report, built, environment, expect, folder, reporter, require, run,
                     shim)
from launch import launcher

THREADS = 3


class Program:
    """The program is_switched, with the shim."""

    def __init__(self, options="start=later", command=None):
        self.dump = os.path.join(folder(), "dump.bin")
        self.process = subprocess.Popen(
            command or [built("is_switched")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
            env=environment([shim()], options=options, output=self.dump))
        expect(self.process.stdout.readline(), "ready\n", "the first line")

    @property
    def pid(self):
        return str(self.process.pid)

    def do(self, order):
        """Returns how many blocks and bytes the program counted."""
        self.process.stdin.write(order + "\n")
        self.process.stdin.flush()
        return tuple(map(int, self.process.stdout.readline().split()))

    def end(self):
        self.process.stdin.close()
        status = self.process.wait(timeout=60)
        said = self.process.stderr.read()
        self.kill()
        return status, said

    def kill(self):
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()

    def stopped(self):
        """Asks to stop, and lets the program have the events by which it sees that."""
        self.process.stdin.flush()
        self.ask("stop")
        time.sleep(0.1)  # It looks every 50 ms.
        self.do("churn 1")
        require("not recorded already" in memtrace("stop", self.pid, status=2).stderr,
                "the program obeys at an allocation")

    def ask(self, what):
        return memtrace(what, self.pid)


def memtrace(*words, status=0, **more):
    ended = run([launcher(), *words], environment([], {"COLUMNS": "100"}), cwd=folder(), **more)
    expect(ended.status, status, f"exit code of {words} ({ended.stdout}{ended.stderr})")
    return ended


def read(dump, status=0):
    ended = run([reporter(), "sites", "--json", "-", dump], environment([]))
    found = Report(dump, json.loads(ended.stdout))
    expect(ended.status, status, f"exit code ({ended.stderr[-500:]}{found.problems})")
    if status == 0:
        expect((found.problems, found.capture["lost_events"], found.capture["anomalies"]),
               ([], 0, 0), "problems, lost events, anomalies")
    return found


def text_of(dump):
    return " ".join(run([reporter(), dump], environment([])).stdout.split())


def unsure(found):
    return found.data["spaces"]["host"].get("unsure_blocks", 0)


def own(found, function="acquire_one"):
    total = found.sum(function=function)
    return total["allocations"], total["bytes"], total["leaked_blocks"], total["leaked_bytes"]


def check_before(program):
    """Nothing is recorded, and the dump does not grow."""
    size = os.stat(program.dump)
    program.do("acquire 1000")
    program.do("churn 100000")
    after = os.stat(program.dump)
    expect((after.st_size, after.st_blocks), (size.st_size, size.st_blocks), "size of the dump")
    found = read(program.dump)
    expect(found.sites, [], "sites")
    expect((found.capture["recorded_from_ns"], len(found.capture["gaps"])), (None, 1), "gaps")
    hint = f"has not begun: memtrace start {program.pid}"
    require(hint in text_of(program.dump), text_of(program.dump))
    shown = memtrace("top", program.pid, "--once").stdout
    require(hint in shown, shown)
    require("recorded already" in memtrace("stop", program.pid, status=2).stderr, "a stop")


def check_start(program):
    """All that is acquired from then on is recorded, by all threads."""
    said = program.ask("start")
    require(f"process {program.pid} (is_switched)" in said.stdout, said.stdout)
    acquired = program.do("acquire 500")
    require("recorded already" in memtrace("start", program.pid, status=2).stderr, "a second start")
    released = program.do("release 300")
    found = read(program.dump)
    expect(own(found), acquired + acquired, "what own code acquired and holds")
    expect(found.capture["earlier_frees"], released[0], "frees of earlier blocks")
    require(0 < found.capture["recorded_from_ns"] == found.capture["gaps"][0]["to_ns"], "the start")
    text = text_of(program.dump)
    require("after the program's start, by memtrace start" in text, text)
    require(f"{released[0]} frees of blocks from before the recording began" in text, text)
    resized = program.do("resize 100")  # blocks of which nobody knows
    expect(own(read(program.dump), "resize_one"), resized + resized, "what own code resized")
    return acquired


def check_stop(program, acquired):
    """What was held then is shown."""
    program.stopped()
    before = own(read(program.dump))
    program.do("acquire 200")
    # 300 are gone, so 700 of before, and 100 of 500 of each thread.
    program.do("release 800")
    found = read(program.dump)
    expect(own(found), before, "what own code holds")
    expect(own(found)[2:], acquired, "what own code holds")
    text = text_of(program.dump)
    require("recording stopped after" in text
            and f"memtrace start {program.pid} goes on" in text, text)
    shown = memtrace("top", program.pid, "--once").stdout
    require("recording stopped after" in shown
            and f"memtrace start {program.pid} goes on" in shown, shown)


def check_second_start(program):
    """Blocks from before the pause may be gone, and blocks of the pause are not known."""
    size = os.path.getsize(program.dump)
    program.do("churn 100000")
    expect(os.path.getsize(program.dump), size, "size of the dump")
    program.ask("start")
    earlier = read(program.dump).capture["earlier_frees"]
    acquired = program.do("acquire 100")
    program.do("release 50")  # of those that are known
    found = read(program.dump)
    expect(found.capture["earlier_frees"], earlier, "frees of earlier blocks")
    expect(len(found.capture["gaps"]), 2, "gaps")
    # 400 of 500 were left of each thread, and are 350 now. Some of the other 100 were seen to be
    # gone, because other blocks have their places.
    sure, doubtful = acquired[0], own(found)[2] - acquired[0]
    require(350 * THREADS <= doubtful <= 450 * THREADS, f"{doubtful} blocks are not sure")
    require(unsure(found) >= doubtful, "what is not sure")
    program.do("release 350")
    released = program.do("release 200")  # of the pause
    found = read(program.dump)
    require(found.capture["earlier_frees"] >= earlier + released[0] - 100 * THREADS,
            f"{found.capture['earlier_frees']} frees of earlier blocks")
    left = own(found)[2] - sure
    require(0 <= left <= 100 * THREADS, f"{left} blocks seem to be held")
    text = text_of(program.dump)
    require("not recorded from" in text, text)
    if unsure(found) > 0:
        require("may be gone since" in text, text)
    program.do("release 100")
    expect(own(read(program.dump))[2], left, "what own code seems to hold")


def check_verdict(program):
    """A check does not call a leak what may have been released during the pause."""
    found = read(program.dump)
    if unsure(found) == 0:
        return
    ended = run([reporter(), "check", "--max-leaked-blocks", "0", program.dump], environment([]))
    expect(ended.status, 3, f"exit code of the check ({ended.stdout})")
    require("is not sure" in " ".join(ended.stdout.split()), ended.stdout)


def check_compacted(dump):
    """What a dump says of its pauses it says when it was compacted, too."""
    small = dump + ".small"
    expect(run([reporter(), "compact", dump, "-o", small]).status, 0, "compact")
    before, after = read(dump), read(small)
    expect(after.capture["gaps"], before.capture["gaps"], "gaps, compacted")
    expect(unsure(after), unsure(before), "blocks that are not sure, compacted")
    require("recording stopped after" not in text_of(small), text_of(small))


def check_whole_life():
    program = Program()
    try:
        check_before(program)
        acquired = check_start(program)
        check_stop(program, acquired)
        check_second_start(program)
        status, said = program.end()
        expect(status, 0, f"exit code ({said})")
        require("allocations recorded in" in said, said)
        expect(read(program.dump).program["end"], "exit 0", "the end")
        check_verdict(program)
        check_compacted(program.dump)
    finally:
        program.kill() if program.process.poll() is None else None


def check_never_started():
    program = Program()
    program.do("acquire 10")
    status, said = program.end()
    expect(status, 0, "exit code")
    require("nothing was recorded" in said, said)
    require("never begun" in text_of(program.dump), text_of(program.dump))
    require("Nothing was recorded." in text_of(program.dump), text_of(program.dump))
    require("does not run" in memtrace("start", program.dump, status=2).stderr
            or "not being recorded" in memtrace("start", program.dump, status=2).stderr,
            "a start of a program that has ended")


def check_start_now():
    """A program that was recorded from its start can be stopped, too."""
    program = Program(options="sample_ms=0")
    acquired = program.do("acquire 100")
    program.stopped()
    program.do("release 100")
    found = read(program.dump)
    expect(own(found)[2:], acquired, "what was held at the stop")
    expect((found.capture["recorded_from_ns"], len(found.capture["gaps"])), (0, 1), "gaps")
    expect(program.end()[0], 0, "exit code")


def check_while_it_works():
    """Threads are in the midst of their events whenever the recording is switched."""
    program = Program()
    program.process.stdin.write("churn 10000000\n")
    program.process.stdin.flush()
    for what in ("start", "stop") * 6:
        program.ask(what)
    expect(program.process.stdout.readline(), "30000000 9000000000\n", "what the program did")
    program.do("acquire 10")  # while it is stopped
    found = read(program.dump)
    require(len(found.capture["gaps"]) > 3, f"gaps: {found.capture['gaps']}")
    require(found.sum(function="churn_one")["leaked_blocks"] <= THREADS, "what seems to be held")
    expect(program.end()[0], 0, "exit code")


def check_kills():
    for start in (False, True):
        program = Program()
        program.do("acquire 100")
        if start:
            program.ask("start")
            acquired = program.do("acquire 100")
        os.kill(program.process.pid, signal.SIGKILL)
        program.kill()
        found = read(program.dump)
        expect(found.program["end"], "unknown", "the end")
        expect(own(found)[2:], acquired if start else (0, 0), "what own code holds")
        require(start or "never begun" in text_of(program.dump), text_of(program.dump))


def child_dump(program, pid):
    path = f"{program.dump}.{pid}"
    for _ in range(500):
        if os.path.exists(path) and os.path.getsize(path) > 4096:
            return path
        time.sleep(0.01)
    require(False, f"the child has no dump {path}")


def check_forks():
    """A child of a program that sleeps sleeps, too, and has a switch of its own."""
    program = Program()
    child, _ = program.do("fork 0")
    dump = child_dump(program, child)
    time.sleep(0.1)
    expect(read(dump).sites, [], "sites of the child")
    require("is recorded from now on" in memtrace("start", str(child)).stdout, "the start")
    time.sleep(0.2)
    found = read(dump)
    require(own(found)[0] > 0 and found.program["forked_from"] == program.process.pid, "the child")
    expect(read(program.dump).sites, [], "sites of the parent")
    # A child of a program that is recorded is recorded.
    program.ask("start")
    program.do("churn 1")
    other, _ = program.do("fork 0")
    dump = child_dump(program, other)
    time.sleep(0.1)
    found = read(dump)
    require(own(found)[0] > 0 and found.capture["gaps"] == [], "the second child")
    expect(program.end()[0], 0, "exit code")


def check_refusals():
    program = Program(options="start=later,rings=private,quiet=1")
    require(not os.path.exists(program.dump), "a dump that nobody can begin")
    status, said = program.end()
    expect(status, 0, "exit code")
    require("start=later" in said and "rings=private" in said, said)
    program = Program(options="rings=private")
    require("cannot be asked" in memtrace("stop", program.pid, status=2).stderr, "private rings")
    program.end()
    program = Program()
    if os.getuid() == 0 and shutil.which("setpriv"):
        copy = os.path.join("/tmp", f"memtrace-of-others-{os.getpid()}")
        shutil.copy(launcher(), copy)
        try:
            for name in (program.pid, program.dump):
                ended = run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", copy,
                             "start", name], environment([]), cwd="/")
                expect(ended.status, 2, f"exit code for another user ({ended.stdout})")
                require("this user may not" in ended.stderr or "you may not" in ended.stderr
                        or "no such file" in ended.stderr, ended.stderr)
        finally:
            os.remove(copy)
        program.do("acquire 10")
        expect(read(program.dump).sites, [], "sites")
    program.end()


OBJECTS = """
import sys
kept = []
print("ready", flush=True)
for line in sys.stdin:
    order, amount = line.split()
    if order == "acquire":
        kept.append([bytes(b"x") * 1 + bytes(200) for _ in range(int(amount))])
    else:
        kept.pop(0)
    print(len(kept), 0, flush=True)
"""


def check_python():
    """Python's objects are recorded from the start on."""
    for mode in ("all", "sample"):
        program = Program(f"start=later,python_allocs={mode},python_sample=4096",
                          [PYTHON, "-c", OBJECTS])
        size = os.path.getsize(program.dump)
        program.do("acquire 20000")
        expect(os.path.getsize(program.dump), size, "size of the dump")
        program.ask("start")
        program.do("acquire 20000")
        found = read(program.dump)
        space = found.space("python")
        least = 20000 * 200
        require(0.7 * least < space["leaked_bytes"] < 3 * least, f"{mode}: {space}")
        expect(found.capture["python_objects"]["state"], "late", "the state of the objects")
        require(any(frame["function"].startswith("<listcomp>") or frame["function"] == "<module>"
                    for site in found.sites_of("python") for frame in site["stack"]), "the lines")
        program.do("release 0")  # those from before
        program.do("release 0")
        held = read(program.dump).space("python")["leaked_bytes"]
        require(held < 0.3 * least, f"{mode}: {held} bytes are held")
        expect(program.end()[0], 0, "exit code")


def test():
    check_whole_life()
    check_never_started()
    check_start_now()
    check_while_it_works()
    check_kills()
    check_forks()
    check_refusals()
    check_python()
