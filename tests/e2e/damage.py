# Dumps to be damaged, and what memtrace-report must do with them.
import json
import os
import shutil
import signal
import subprocess
import time

from harness import (built, environment, expect, folder, reporter, require, run, shim, trace)


def whole_dump():
    """Returns the bytes of a sound dump with several lanes and chunks."""
    traced = trace("many_events", 60000, options="ring=2048", bare=False)
    with open(traced.dumps[0], "rb") as file:
        return file.read()


def killed_dump():
    """Returns the bytes of a killed process's dump: its last events are in rings."""
    where = folder()
    dump, shared = os.path.join(where, "dump.bin"), os.path.join(where, "shared")
    with open(shared, "wb") as file:
        file.truncate(4096)
    process = subprocess.Popen([built("killed"), shared, "4"], start_new_session=True,
                               env=environment([shim()], options="ring=2048", output=dump))
    time.sleep(0.1)
    process.send_signal(signal.SIGKILL)
    process.wait()
    with open(dump, "rb") as file:
        return file.read()


def records_of(data):
    """Returns the text of all records that memtrace-report reads from these bytes."""
    path = os.path.join(folder(), "records.bin")
    with open(path, "wb") as file:
        file.write(data)
    ended = run([reporter(), "text", path], timeout=60)
    expect(ended.status, 0, f"memtrace-report text: {ended.stderr[-300:]}")
    shutil.rmtree(os.path.dirname(path), ignore_errors=True)
    return ended.stdout


class Verdict:
    """The answers of memtrace-report and its check about some bytes."""

    def __init__(self, data, name="damaged.bin"):
        self.path = os.path.join(folder(), name)
        with open(self.path, "wb") as file:
            file.write(data)
        self.ended = run([reporter(), "sites", "--json", "-", self.path], timeout=30)
        self.status = self.ended.status
        self.data = json.loads(self.ended.stdout) if self.status in (0, 3) else None
        shutil.rmtree(os.path.dirname(self.path), ignore_errors=True)

    def expect_damage(self, what):
        """Checks that the damage is reported: a refusal with a sentence, or a list of problems."""
        require(self.status in (2, 3),
                f"{what}: exit code {self.status}, {self.ended.stderr[-300:]}")
        if self.status == 2:
            require(len(self.ended.stderr.strip()) > 20, f"{what}: refused without a sentence")
        else:
            require(self.data["problems"], f"{what}: exit code 3, and no problem is listed")


def expect_refusal(arguments, *words):
    """Checks for exit code 2, one sentence on stderr with these words, and nothing on stdout."""
    ended = run([reporter(), *arguments], timeout=30)
    expect(ended.status, 2, f"exit code of memtrace-report {' '.join(arguments)}")
    expect(ended.stdout, "", "stdout")
    sentence = ended.stderr.strip()
    require(sentence and "\n" not in sentence, f"not one sentence: {ended.stderr!r}")
    for word in words:
        require(word in sentence, f"{word!r} is not in: {sentence}")
