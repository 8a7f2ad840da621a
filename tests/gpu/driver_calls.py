#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Calls of CUDA's driver, by ctypes.

    driver_calls.py addresses NAME…   which exported function cuGetProcAddress() gives for each
    driver_calls.py cost COUNT        nanoseconds of a cuMemAlloc() and its cuMemFree() of 2 MiB
"""
import ctypes
import sys
import time


def driver():
    cuda = ctypes.CDLL("libcuda.so.1")
    result = cuda.cuInit(0)
    if result != 0:
        sys.exit(f"cuInit() says {result}")
    return cuda


def addresses(names):
    cuda = driver()
    version = ctypes.c_int()
    cuda.cuDriverGetVersion(ctypes.byref(version))
    print(f"driver {version.value}")
    for name in names:
        exported = {}
        for spelling in (name, name + "_v2", name + "_v3", name + "_v4", name + "_ptsz",
                         name + "_v2_ptsz"):
            try:
                exported[ctypes.cast(getattr(cuda, spelling), ctypes.c_void_p).value] = spelling
            except AttributeError:
                pass
        for flags in (1, 2):  # the legacy stream, a stream for each thread
            pointer, status = ctypes.c_void_p(), ctypes.c_int()
            result = cuda.cuGetProcAddress_v2(name.encode(), ctypes.byref(pointer), version,
                                              ctypes.c_uint64(flags), ctypes.byref(status))
            said = exported.get(pointer.value, "another address") if result == 0 else f"{result}"
            print(f"{name} {flags} {said}")


def cost(count):
    cuda = driver()
    context = ctypes.c_void_p()
    device = ctypes.c_int()
    assert cuda.cuDeviceGet(ctypes.byref(device), 0) == 0
    assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device) == 0
    assert cuda.cuCtxSetCurrent(context) == 0
    # By name at run time, as programs do that open the library.
    allocate, free = cuda.cuMemAlloc_v2, cuda.cuMemFree_v2
    pointer = ctypes.c_uint64()
    best = None
    for _ in range(5):
        start = time.perf_counter_ns()
        for _ in range(count):
            assert allocate(ctypes.byref(pointer), ctypes.c_size_t(2 << 20)) == 0
            assert free(pointer) == 0
        spent = (time.perf_counter_ns() - start) / count
        best = spent if best is None else min(best, spent)
    print(f"pair {best:.0f} ns")


if __name__ == "__main__":
    if sys.argv[1] == "addresses":
        addresses(sys.argv[2:])
    else:
        cost(int(sys.argv[2]))
