# SPDX-License-Identifier: Apache-2.0
"""The programs that this package brings. They are not Python's: the process becomes one of them."""
import os
import sys
from typing import List, NoReturn

_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin")
# The options of `memtrace run` whose value is the next word.
_WITH_VALUE = ("-o", "--output", "--options", "--report-file")


def path_of(program: str) -> str:
    """Returns the path of "memtrace", "memtrace-report" or "libmemtrace.so"."""
    return os.path.join(_FOLDER, program)


def _become(program: str, arguments: List[str]) -> NoReturn:
    path = path_of(program)
    sys.stdout.flush()
    try:
        os.execv(path, [program, *arguments])
    except OSError as error:
        sys.exit(f"{program}: {path} cannot be run: {error.strerror}. memtrace is for Linux on "
                 "x86-64 with glibc 2.28 or newer.")


def python_command(words: List[str], python: str) -> List[str]:
    """Returns the words of `memtrace run` that run a script, or -m MODULE, in this Python.

    `words` are those behind `python -m libmemtrace run`.
    """
    begin = 0
    while begin < len(words):
        word = words[begin]
        if word == "--":
            return [*words[:begin], "--", python, *words[begin + 1:]]
        if word in ("--report", "--check") or word.startswith("--report="):
            # What stands behind them, up to --, is theirs.
            if "--" in words[begin:]:
                begin = words.index("--", begin)
                continue
            return words
        if word in ("-m", "-c") or not word.startswith("-") or word == "-":
            break
        begin += 2 if word in _WITH_VALUE else 1
    if begin >= len(words):
        return words  # `memtrace run` says that there is no program, or prints its help.
    return [*words[:begin], "--", python, *words[begin:]]


def memtrace() -> NoReturn:
    """The console script `memtrace`."""
    _become("memtrace", sys.argv[1:])


def memtrace_report() -> NoReturn:
    """The console script `memtrace-report`."""
    _become("memtrace-report", sys.argv[1:])


def main() -> NoReturn:
    """`python -m libmemtrace`: as `memtrace`, but `run` runs what this Python would run."""
    words = sys.argv[1:]
    if words[:1] == ["run"]:
        words = ["run", *python_command(words[1:], sys.executable)]
    elif words[:1] == ["doctor"] and "--python" not in words:
        words = [*words, "--python", sys.executable]
    _become("memtrace", words)
