# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of this folder, bare and under the shim."""
import ctypes
import itertools
import os
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
FUNCTIONS = HERE / "gpu-functions.txt"  # in a packed folder
TABLE = HERE.parent.parent / "include/memtrace/dump/gpu_apis.def"


class Unmet(Exception):
    """A requirement is not met."""


class NotHere(Exception):
    """The check is not possible on this machine."""


def why_no_card():
    """Returns None, or a sentence with the reason."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        return f"there is no CUDA driver here ({error})"
    result = driver.cuInit(0)
    if result != 0:
        return f"cuInit() of the driver says {result}: there is no card that can be used"
    count = ctypes.c_int()
    driver.cuDeviceGetCount(ctypes.byref(count))
    return None if count.value else "the driver has no card"


class Runner:
    """Runs programs bare and under the shim."""

    def __init__(self, arguments, folder):
        self.python = arguments.python
        self.shim = arguments.build / "libmemtrace.so"
        self.reporter = str(arguments.build / "memtrace-report")
        self.folder = pathlib.Path(folder)
        self.numbers = itertools.count(1)
        self.pairs = 5  # rounds of what is timed

    def run(self, program, *words, traced=True, options="", env=None, status=0):
        """Runs a program of tests/gpu and returns (stdout, stderr, the path of the dump)."""
        dump = self.folder / f"{next(self.numbers)}.bin"
        environment = dict(os.environ, **(env or {}))
        if traced:
            environment |= {"LD_PRELOAD": str(self.shim), "MEMTRACE_OUTPUT": str(dump),
                            "MEMTRACE_OPTIONS": ",".join(filter(None, ["quiet=1", options]))}
        ended = subprocess.run([self.python, str(HERE / program), *map(str, words)],
                               env=environment, capture_output=True, text=True, timeout=240)
        if ended.returncode != status:
            raise Unmet(f"{program} {' '.join(map(str, words))} ended with {ended.returncode}: "
                        f"{ended.stderr[-600:]}")
        return ended.stdout, ended.stderr, str(dump)

    def report(self, *words):
        ended = subprocess.run([self.reporter, *words], capture_output=True, text=True,
                               timeout=240)
        if ended.returncode not in (0, 3):
            raise Unmet(f"memtrace-report {' '.join(words)} ended with {ended.returncode}: "
                        f"{ended.stderr[-600:]}")
        return ended.stdout


def library(run, name):
    """Returns a library of the Python's site-packages, by its file name."""
    code = "import sysconfig; print(sysconfig.get_paths()['purelib'])"
    site = subprocess.run([run.python, "-c", code], capture_output=True, text=True).stdout.strip()
    found = sorted(pathlib.Path(site).glob(f"**/{name}"))
    if not found:
        raise NotHere(f"there is no {name} below {site}")
    return found[0]
