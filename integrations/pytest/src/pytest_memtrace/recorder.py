"""The recorder in this process: how it is found, how it is loaded, and how it receives phases."""
import ctypes
import os
import shutil
import struct
import sys
from typing import Any, Dict, List, Mapping, NoReturn, Optional

import pytest

STARTED = "PYTEST_MEMTRACE_STARTED"  # set across the exec, so there is never a second one
HEADER = struct.Struct("<8sIIQQ")  # a dump's magic, version, size of the header, features, pid
MAGIC = b"MEMTRACE"


def dump_of_this_process() -> Optional[str]:
    """Returns the path of this process's dump, which is mapped into it, or None."""
    with open("/proc/self/maps", errors="surrogateescape") as maps:
        lines = maps.read().splitlines()
    seen = set()
    for line in lines:
        fields = line.split(None, 5)
        if len(fields) < 6 or fields[1][3] != "s" or fields[5] in seen:
            continue
        path = fields[5]
        seen.add(path)
        try:
            with open(path, "rb") as file:
                magic, _, _, _, pid = HEADER.unpack(file.read(HEADER.size))
        except (OSError, struct.error):
            continue
        if magic == MAGIC and pid == os.getpid():
            return path
    return None


def program_of_package() -> Optional[str]:
    """Returns the program that the package libmemtrace brings. A virtual environment that is not
    active is not in $PATH."""
    try:
        import libmemtrace
    except ImportError:
        return None
    return shutil.which(libmemtrace.path_of("memtrace"))


def find_program(named: Optional[str]) -> str:
    """Returns the path of the program `memtrace`, which finds the recorder's library itself."""
    found = shutil.which(named or "memtrace")
    if found is None and named is None:
        found = program_of_package()
    if found is None:
        raise pytest.UsageError(
            f"--memtrace: there is no program {named!r}" if named else
            "--memtrace: there is no program memtrace in $PATH; install memtrace, or name it with "
            "--memtrace-bin or the setting memtrace_bin")
    return found


def own_command() -> List[str]:
    """Returns the command line that started this interpreter, to start it again."""
    with open("/proc/self/cmdline", "rb") as file:
        words = [os.fsdecode(word) for word in file.read().split(b"\0")[:-1]]
    if not sys.executable or len(words) < 2 or words[1] == "-":
        raise pytest.UsageError("--memtrace has to start Python anew, and does not know how it was "
                                "started; use `memtrace run -- python -m pytest --memtrace`")
    return [sys.executable, *words[1:]]


def start_anew(program: str, output: str, options: str) -> NoReturn:
    """Replaces this process by the same pytest, recorded from its first allocation on."""
    if os.environ.get(STARTED):
        raise pytest.UsageError(
            "--memtrace: Python was started under memtrace, and is not recorded; what memtrace "
            "said on standard error says why")
    os.environ[STARTED] = "1"
    sys.stdout.flush()
    sys.stderr.flush()
    command = [program, "run", "--output", output, "--options", options, "--", *own_command()]
    try:
        os.execv(program, command)
    except OSError as error:
        raise pytest.UsageError(f"--memtrace: {program}: {error.strerror}") from error


def forget_start() -> None:
    os.environ.pop(STARTED, None)


def without_recorder(environment: Mapping[str, str]) -> Dict[str, str]:
    """Returns the environment for memtrace-report, which must not be recorded."""
    return {key: value for key, value in environment.items() if key != "LD_PRELOAD"}


class Phases:
    """memtrace_begin and memtrace_end of memtrace.h."""

    def __init__(self) -> None:
        library = ctypes.CDLL(None)  # finds the names of a preloaded library
        self._begin, self._end = self._function(library, "begin"), self._function(library, "end")

    @staticmethod
    def _function(library: ctypes.CDLL, name: str) -> Any:
        function = getattr(library, "memtrace_" + name)
        function.argtypes, function.restype = [ctypes.c_char_p], None
        return function

    @staticmethod
    def name(text: str) -> bytes:
        return text.encode("utf-8", "surrogatepass").replace(b"\0", b"?")[:4096]

    def begin(self, name: bytes) -> None:
        self._begin(name)

    def end(self, name: bytes) -> None:
        self._end(name)
