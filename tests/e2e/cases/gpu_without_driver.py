"""The real libraries of CUDA on a machine without a driver give the same answers as without
memtrace, for every source, and the dump has nothing of a GPU."""
import ctypes.util
import glob
import os

import gpu
from harness import PYTHON, SOURCE, environment, expect, folder, require, run, shim, skip

PLACES = [os.path.join(os.environ.get("CUDA_HOME") or "/usr/local/cuda", "lib64"),
          os.path.join(os.environ.get("CUDA_HOME") or "/usr/local/cuda", "extras/CUPTI/lib64"),
          *glob.glob(os.path.join(SOURCE, ".venv/lib/python3*/site-packages/nvidia/*/lib"))]

PROGRAM = """
import ctypes, sys
runtime, cupti = (ctypes.CDLL(path) for path in sys.argv[1:])
pointer, subscriber = ctypes.c_void_p(), ctypes.c_void_p()
print("cudaMalloc", runtime.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(4096)))
print("cuptiSubscribe", cupti.cuptiSubscribe(ctypes.byref(subscriber), None, None))
print("cudaMalloc", runtime.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(4096)))
"""


def find(name):
    for place in PLACES:
        for path in sorted(glob.glob(os.path.join(place, f"{name}.so.*"))):
            return path
    return skip(f"there is no {name} here (CUDA_HOME)")


def test():
    if ctypes.util.find_library("cuda"):
        skip("there is a driver here")
    command = [PYTHON, "-c", PROGRAM, find("libcudart"), find("libcupti")]
    bare = run(command, environment([]))
    require("cudaMalloc" in bare.stdout, bare.stderr)
    print(bare.stdout.replace("\n", "; "))
    for option in ("auto", "cupti", "crosscheck"):
        dump = os.path.join(folder(), "dump.bin")
        traced = run(command, environment([shim()], options=f"gpu={option}", output=dump))
        expect((traced.status, traced.stdout), (bare.status, bare.stdout), f"gpu={option}")
        found = [line.name for line in gpu.lines_of(dump) if line.name.startswith("gpu_")]
        expect(found, [], "records")
