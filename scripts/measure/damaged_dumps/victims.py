# SPDX-License-Identifier: Apache-2.0
"""The recordings that scripts/measure/damages damages: small, and each of another sort."""

import mmap
import os
import pathlib
import signal
import struct
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
RING = "ring=2048"  # the smallest, so that there are chunks as well as rings
BYTES_MAX = 1 << 19
PYTHON = """
import json
kept = [json.dumps({"number": i, "text": "x" * i}) for i in range(200)]
for turn in range(5):
    json.loads("[" + ",".join(kept[:50]) + "]")
"""


class Recorder:
    """Records programs of tests/programs, with the shim and the stand-ins of a build."""

    def __init__(self, build, folder):
        self.build, self.folder = build, pathlib.Path(folder)

    def environment(self, dump, options=RING, **more):
        clean = {key: value for key, value in os.environ.items()
                 if key != "LD_PRELOAD" and not key.startswith("MEMTRACE_")}
        return {**clean, "LD_PRELOAD": str(self.build / "libmemtrace.so"),
                "MEMTRACE_OUTPUT": str(dump), "MEMTRACE_OPTIONS": options + ",quiet=1", **more}

    def run(self, name, command, options=RING, **more):
        dump = self.folder / name
        subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL,
                       env=self.environment(dump, options, **more))
        return dump

    def program(self, name):
        return self.build / "programs" / name

    def threads(self):
        return self.run("threads.bin", [self.program("thread_destructors")])

    def python(self):
        # The executable itself, because a wrapper script would be recorded, too.
        return self.run("python.bin", [os.path.realpath(sys.executable), "-S", "-c", PYTHON])

    def gpu(self):
        return self.run("gpu.bin", [self.program("gpu_linked"), "plain"],
                        LD_LIBRARY_PATH=str(self.build / "doubles/libcuda"))

    def private(self):
        return self.run("private.bin", [self.program("many_events"), 3000],
                        options=f"{RING},rings=private")

    def killed(self):
        """Four threads that allocate, killed when they have done so some thousand times."""
        dump, shared = self.folder / "killed.bin", self.folder / "shared"
        for _ in range(20):
            dump.unlink(missing_ok=True)
            shared.write_bytes(bytes(4096))
            with open(shared, "r+b") as file, mmap.mmap(file.fileno(), 4096) as counts:
                process = subprocess.Popen([self.program("killed"), shared, "4"],
                                           env=self.environment(dump))
                while sum(struct.unpack_from("<Q", counts, 64 * i)[0] for i in range(4)) < 3000:
                    time.sleep(0)
                process.send_signal(signal.SIGKILL)
                process.wait()
            if dump.stat().st_size < BYTES_MAX:
                return dump
        sys.exit("The machine is too busy: 20 times, the killed program's dump became large.")


VICTIMS = {
    "a program in C++ with threads": Recorder.threads,
    "a program in Python": Recorder.python,
    "a program on a GPU (a stand-in)": Recorder.gpu,
    "a killed program": Recorder.killed,
    "rings in memory (rings=private)": Recorder.private,
}
