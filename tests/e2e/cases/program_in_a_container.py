"""A program with a process number of its own: every sentence that tells what to do names it by the
number that it has where the sentence is read."""
import json
import os
import re
import subprocess

from harness import built, environment, expect, folder, reporter, require, run, shim, skip
from launch import launcher

INSIDE = ["unshare", "--pid", "--fork", "--mount-proc", "sh", "-c", '"$0"; true']


class Contained:
    """The program is_switched as process 2 of a namespace, asleep at first."""

    def __init__(self):
        self.dump = os.path.join(folder(), "dump.bin")
        self.process = subprocess.Popen(
            [*INSIDE, built("is_switched")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True,
            env=environment([shim()], options="start=later", output=self.dump))
        expect(self.process.stdout.readline(), "ready\n", "the first line")

    def do(self, order):
        self.process.stdin.write(order + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def outer(self):
        """The number of the program here."""
        for number in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{number}/comm") as file:
                    if file.read() != "is_switched\n":
                        continue
                if any(os.path.samefile(f"/proc/{number}/fd/{fd}", self.dump)
                       for fd in os.listdir(f"/proc/{number}/fd")
                       if os.path.exists(f"/proc/{number}/fd/{fd}")):
                    return number
            except OSError:
                continue
        require(False, "the program is not found")


def ask(*words):
    ended = run(words, environment([], {"COLUMNS": "100"}), cwd=folder())
    expect(ended.status, 0, f"exit code of {words} ({ended.stdout}{ended.stderr})")
    return ended.stdout + ended.stderr


def numbers(text):
    return set(re.findall(r"memtrace start (\d+)", text))


def test():
    if subprocess.run([*INSIDE, "true"], capture_output=True, check=False).returncode != 0:
        skip("no namespace can be made here")
    program = Contained()
    try:
        program.do("acquire 10")
        outer = program.outer()
        inner = json.loads(run([reporter(), "info", "--json", "-", program.dump],
                               environment([])).stdout)["program"]["pid"]
        require(str(inner) != outer, "the program has the same number here: nothing is shown")
        for words in ([reporter(), program.dump], [launcher(), "top", "--once", program.dump],
                      [launcher(), "top", "--once", outer]):
            expect(numbers(ask(*words)), {outer}, f"the number in {words}")
        # The dump means the same program as its number does.
        require(f"process {outer} (is_switched)" in ask(launcher(), "start", program.dump),
                "start names it")
        program.do("acquire 10")
        require(f"pid {outer} " in ask(launcher(), "top", "--once", program.dump), "top names it")
        require(f"process {outer} (is_switched)" in ask(launcher(), "stop", program.dump),
                "stop names it")
        program.do("churn 1")
        for words in ([reporter(), program.dump], [launcher(), "top", "--once", program.dump]):
            expect(numbers(ask(*words)), {outer}, f"the number in {words} after a stop")
        # A profile may be read when the program is long gone.
        profile = os.path.join(folder(), "now.profile")
        ask(launcher(), "snapshot", outer, "-o", profile)
        expect(numbers(ask(reporter(), profile)), set(), "numbers in a profile")
    finally:
        program.process.stdin.close()
        program.process.wait(timeout=60)
        program.process.stdout.close()
        program.process.stderr.close()
