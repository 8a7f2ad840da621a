# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of this folder under memtrace and reads the report of each of their dumps."""
import ast
import glob
import json
import os
import pathlib
import re
import subprocess

import compare

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
ADVICE = HERE / "advice"
ARRAYS = HERE / "arrays"
SECONDS_MAX = 600


class NotHere(Exception):
    """The program cannot run on this machine. The reason is a sentence."""


class Broken(Exception):
    """The program, the recording or the report failed. The reason is a sentence."""


class Program:
    """A program of a folder. Below its licence a line may say what it needs besides PyTorch:

        # needs: MODULE MODULE    Python modules
        # needs command: NAME     a command of the PATH
        # slow                    takes long
        # on device               only with tensors on a device (on_device.py)
        # advice: RULE            the report must give the advice of this rule
        # no advice: RULE         the report must not give it
    """

    def __init__(self, path):
        self.path, self.name = pathlib.Path(path), pathlib.Path(path).stem
        text = self.path.read_text(encoding="utf-8")
        says = " ".join(ast.get_docstring(ast.parse(text)).split())
        self.says = re.split(r"[.](?:\s|$)", says)[0]
        head = [line for line in text.split('"""')[0].splitlines() if line.startswith("# ")]
        self.is_slow = "# slow" in head
        self.is_on_device = "# on device" in head
        self.modules = self._needs(head, "# needs: ")
        self.commands = self._needs(head, "# needs command: ")
        self.advice = self._needs(head, "# advice: ")
        self.no_advice = self._needs(head, "# no advice: ")

    @staticmethod
    def _needs(head, begins):
        return [word for line in head if line.startswith(begins)
                for word in line[len(begins):].split()]

    def why_not(self, python):
        """Returns the reason why this interpreter cannot run the program, or None."""
        for module in self.modules:
            found = subprocess.run([python, "-c", "import sys, importlib.util as u; sys.exit("
                                    f"u.find_spec({module!r}) is None)"], check=False)
            if found.returncode:
                return f"the Python module {module} is not installed"
        for command in self.commands:
            if subprocess.run(["which", command], capture_output=True, check=False).returncode:
                return f"there is no {command}"
        return None


def all_programs(folder=PROGRAMS):
    return [Program(path) for path in sorted(folder.glob("*.py"))]


def environment(build, dump, truth, more):
    clean = {key: value for key, value in os.environ.items()
             if key not in ("LD_PRELOAD", "PYTHONMALLOC") and not key.startswith("MEMTRACE_")}
    return clean | {"PYTHONPATH": str(HERE), "PYTHONDONTWRITEBYTECODE": "1",
                    "LD_PRELOAD": str(build / "libmemtrace.so"), "MEMTRACE_OUTPUT": str(dump),
                    "MEMTRACE_OPTIONS": "quiet=1", "MEMTRACE_TRUTH": str(truth)} | more


def run(python, program, build, folder, variables=None, is_kept=False):
    """Runs a program under memtrace, with more variables; or takes what an earlier run left in the
    folder. Returns the path of its dump, and the paths of the truths of its processes."""
    build = pathlib.Path(build).resolve()
    dump = pathlib.Path(folder, f"{program.name}.bin")
    truth = pathlib.Path(folder, f"{program.name}.truth.json")
    if is_kept:
        if not dump.exists():
            raise NotHere("no dump of it was kept")
        return dump, all_named(truth)
    for old in all_named(dump) + all_named(truth):
        os.unlink(old)
    try:
        done = subprocess.run([python, program.path], cwd=folder,
                              env=environment(build, dump, truth, variables or {}),
                              capture_output=True, text=True, timeout=SECONDS_MAX,
                              check=False)
    except subprocess.TimeoutExpired:
        raise Broken(f"{program.name} was still running after {SECONDS_MAX} s") from None
    if done.returncode == 77:
        raise NotHere(done.stderr.strip().splitlines()[-1])
    if done.returncode:
        raise Broken(f"{program.name} ended with {done.returncode}: {done.stderr[-1000:]}")
    if not dump.exists():
        raise Broken(f"{program.name} left no dump: {done.stderr[-500:]}")
    return dump, all_named(truth)


def all_named(path):
    """Returns the files whose name is this one, or this one and a suffix."""
    return sorted(glob.glob(glob.escape(str(path)) + "*"))


def record(python, program, build, folder, variables=None, is_kept=False):
    """Like run(). Returns (dump, truth) of each process that wrote a truth."""
    dump, truths = run(python, program, build, folder, variables, is_kept)
    if not truths:
        raise Broken(f"{program.name} wrote no truth")
    found = []
    for known in map(compare.read, truths):
        of_child = pathlib.Path(f"{dump}.{known['pid']}")
        found.append((of_child if of_child.exists() else dump, known))
    return found


def has_report(build):
    """Says whether this build can tell what memory is for."""
    done = subprocess.run([pathlib.Path(build, "memtrace-report"), "training", "--help"],
                          capture_output=True, text=True, check=False)
    return done.returncode == 0 and "--blocks-at" in done.stdout


def report(build, dump, marks=()):
    """Returns the JSON of `memtrace-report training`, with the blocks at these marks."""
    asked = [word for mark in marks for word in ("--blocks-at", mark)]
    command = [pathlib.Path(build, "memtrace-report"), "training", "--json", "-", *asked, dump]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
    if done.returncode != 0:
        raise Broken(f"memtrace-report training ended with {done.returncode}: {done.stderr[-500:]}")
    return json.loads(done.stdout)


def judge(build, pairs):
    """Returns the comparison of each moment of each process."""
    return [moment for dump, truth in pairs
            for moment in compare.compare(report(build, dump, compare.marks_of(truth)), truth)]


def wrong_advice(program, told):
    """Returns what is wrong with the advice of a report, or an empty text."""
    given = {advice["rule"] for advice in told["advice"]}
    wrong = [f"the advice {rule} is missing" for rule in program.advice if rule not in given]
    wrong += [f"the advice {rule} is given" for rule in program.no_advice if rule in given]
    return "; ".join(wrong)
