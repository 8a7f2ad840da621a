# SPDX-License-Identifier: Apache-2.0
"""Installs a wheel into a new virtual environment of the Python that runs this, and uses it there.

    check_install.py WHEEL EXAMPLES

Prints one JSON object: {"python", "system", "glibc", and for each step "ok" or what went wrong}.
EXAMPLES is the repository's folder of that name. NumPy and pytest come from pip's index. Without
NumPy, a program without it is recorded, and the step says so.
"""
import json
import os
import platform
import subprocess
import sys
import tempfile
import venv

MARKS = """
import libmemtrace
assert libmemtrace.is_recorded()
libmemtrace.mark("begin")
with libmemtrace.phase("filled"):
    kept = [bytearray(100_000) for _ in range(50)]
"""
TESTS = """
import pytest
@pytest.mark.limit_peak("1 MB")
def test_small(): bytearray(1000)
@pytest.mark.limit_peak("1 MB")
def test_large(): bytearray(50_000_000)
"""


class Failed(Exception):
    pass


class Place:
    """The virtual environment, and a folder to work in."""

    def __init__(self, folder):
        self.folder = folder
        self.python = os.path.join(folder, "venv", "bin", "python")

    def run(self, *words, status=0, **more):
        env = {key: value for key, value in os.environ.items() if not key.startswith("MEMTRACE_")}
        env["OPENBLAS_NUM_THREADS"] = "1"
        ended = subprocess.run(words, cwd=self.folder, env=env, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, universal_newlines=True, timeout=600, **more)
        if ended.returncode != status:
            said = (ended.stderr.strip() or ended.stdout.strip())[-400:]
            raise Failed("{} ended with {}: {}".format(" ".join(words[:5]), ended.returncode, said))
        return ended.stdout

    def program(self, name):
        return os.path.join(os.path.dirname(self.python), name)

    def pip(self, *words):
        self.run(self.python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *words)


# The first pip that knows wheels by the version of glibc that they need (PEP 600).
PIP_MIN = (20, 3)


def install(place, wheel):
    version = place.run(place.python, "-m", "pip", "--version").split()[1]
    note = "ok"
    if tuple(int(part) for part in version.split(".")[:2]) < PIP_MIN:
        place.pip("--upgrade", "pip")
        note = "ok, after pip {} was upgraded".format(version)
    place.pip("--no-index", wheel)
    return note


def judge(document):
    capture = document["capture"]
    if capture["lost_events"] or capture["anomalies"] or capture["events"] == 0:
        raise Failed("events lost, or none: {}".format(capture["events"]))
    part = capture["captures_complete"] / max(1, capture["captures"])
    if part < 0.99:
        raise Failed("only {:.1%} of the stacks are complete".format(part))
    if not capture["python"].startswith("on"):
        raise Failed("Python's lines: " + capture["python"])
    return part


def check_doctor(place):
    found = json.loads(place.run(place.program("memtrace"), "doctor", "--json", "-", "--python",
                                 place.python))
    states = {check["subject"]: check for check in found["checks"]}
    if states["python"]["state"] != "ok":
        raise Failed(states["python"]["found"])
    return "ok"


def check_training(place, examples):
    script, words, note = "train.py", ["--steps", "3"], "ok"
    try:
        place.pip("--only-binary", ":all:", "numpy")
    except Failed:
        script, words, note = "word_index.py", [], "ok, without NumPy"
    place.run(place.python, "-m", "libmemtrace", "run", "-o", "train.bin",
              os.path.join(examples, script), *words)
    document = json.loads(place.run(place.program("memtrace-report"), "--json", "-", "train.bin"))
    judge(document)
    files = {frame["file"].rsplit("/", 1)[-1] for site in document["sites"]
             for frame in site["stack"] if frame["kind"] == "python"}
    if script not in files:
        raise Failed("no call site has a line of " + script)
    place.run(place.program("memtrace-report"), "html", "train.bin")
    return note


def check_marks(place):
    with open(os.path.join(place.folder, "marks.py"), "w") as file:
        file.write(MARKS)
    place.run(place.program("memtrace"), "run", "-o", "marks.bin", "--", place.python, "marks.py")
    found = json.loads(place.run(place.program("memtrace"), "phases", "--json", "-", "marks.bin"))
    if "filled" not in json.dumps(found["phases"]):
        raise Failed("the phase is not in the report")
    return "ok"


def check_plugin(place, wheel):
    place.pip(wheel + "[pytest]")
    with open(os.path.join(place.folder, "test_limits.py"), "w") as file:
        file.write(TESTS)
    said = place.run(place.python, "-m", "pytest", "--memtrace", "-q", "test_limits.py", status=1)
    if "1 failed, 1 passed" not in said:
        raise Failed(said[-300:])
    return "ok"


def main():
    wheel, examples = map(os.path.abspath, sys.argv[1:3])
    result = {"python": platform.python_version(), "glibc": platform.libc_ver()[1]}
    with tempfile.TemporaryDirectory(prefix="memtrace-install-") as folder:
        place = Place(folder)
        venv.create(os.path.join(folder, "venv"), with_pip=True)
        steps = [("install", lambda: install(place, wheel)),
                 ("doctor", lambda: check_doctor(place)),
                 ("training", lambda: check_training(place, examples)),
                 ("marks", lambda: check_marks(place)),
                 ("plugin", lambda: check_plugin(place, wheel))]
        for name, step in steps:
            try:
                result[name] = step()
            except (Failed, subprocess.TimeoutExpired, KeyError, ValueError, OSError) as error:
                result[name] = "FAILED: {}".format(error)
    print(json.dumps(result))


main()
