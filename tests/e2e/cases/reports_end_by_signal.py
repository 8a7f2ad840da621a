"""A report that a signal ends leaves no half file: the new file is gone, the old one is untouched,
and the shell sees the signal. A report that ends by itself leaves the new file and nothing else."""
import os
import signal
import subprocess
import time

from harness import SLOW, environment, expect, folder, reporter, require, trace


def default_signals():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def start(arguments):
    """Starts the reporter on a dump that comes through a pipe."""
    return subprocess.Popen([reporter(), *arguments, "-"], stdin=subprocess.PIPE,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                            env=environment([]), preexec_fn=default_signals)


def wait_for_files(place, count):
    end = time.monotonic() + 10 * SLOW
    while len(os.listdir(place)) != count:
        require(time.monotonic() < end, f"there are {os.listdir(place)}, not {count} files")
        time.sleep(0.01)


def contents(path):
    with open(path) as file:
        return file.read()


def test():
    dump = trace("many_events", 20000).dumps[0]
    with open(dump, "rb") as file:
        content = file.read()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        place = folder()
        path = os.path.join(place, "report.json")
        with open(path, "w") as old:
            old.write("old")
        process = start(["sites", "--json", path])
        process.stdin.write(content[:len(content) // 2])
        process.stdin.flush()
        wait_for_files(place, 2)  # It reads, and the new file is there.
        process.send_signal(number)
        _, errors = process.communicate(timeout=10 * SLOW)
        expect(process.returncode, -number, "status")
        expect(errors, b"", "stderr")
        expect(os.listdir(place), ["report.json"], "files")
        expect(contents(path), "old", "contents")

    process = start(["sites", "--json", path])
    process.communicate(content, timeout=30 * SLOW)
    expect(process.returncode, 0, "status")
    expect(os.listdir(place), ["report.json"], "files")
    require(contents(path).startswith("{") and contents(path).endswith("}\n"), "it is whole")
