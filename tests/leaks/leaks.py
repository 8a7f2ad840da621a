# SPDX-License-Identifier: Apache-2.0
"""Shared by the Python programs of this folder: a run of steps, with or without marks."""
import ctypes
import os
import time

_self = ctypes.CDLL(None)


def _function(name):
    try:
        return getattr(_self, name)
    except AttributeError:  # without the shim
        return lambda text: None


def _load_tensors():
    """Returns the doubles' allocator of tensors, or None if the program was not given one."""
    path = os.environ.get("LEAKS_TENSORS")
    if not path:
        return None
    library = ctypes.CDLL(path)
    library.double_torch_alloc.restype = ctypes.c_void_p
    library.double_torch_alloc.argtypes = [ctypes.c_int, ctypes.c_size_t]
    library.double_torch_free.argtypes = [ctypes.c_void_p]
    if not library.double_torch_alloc(0, 512):
        raise MemoryError("the double of the GPU's driver gives no memory: is it built?")
    return library


tensors = _load_tensors()


def run_steps(steps, step):
    """Calls step(0) to step(steps - 1), spread over about a second."""
    seconds = float(os.environ.get("LEAKS_SECONDS", 1))
    marks = os.environ.get("LEAKS_MARKS", "1") != "0"
    begin, end = _function("memtrace_begin"), _function("memtrace_end")
    started = time.monotonic()
    for number in range(steps):
        name = b"step %d" % number
        if marks:
            begin(name)
        step(number)
        if marks:
            end(name)
        ahead = started + seconds * (number + 1) / steps - time.monotonic()
        if ahead > 0.001:
            time.sleep(ahead)
