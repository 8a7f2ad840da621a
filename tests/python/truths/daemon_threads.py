# SPDX-License-Identifier: Apache-2.0
"""The interpreter ends while daemon threads allocate, in Python and in C, and frees their frames.

Once it has ended, the process ends at once: up to 3.12 a daemon thread that comes back to Python
after that crashes, without the shim as well; on a busy machine one is now and then too late.
"""
# allow: finalizing
# unfinished: 8
# crashes: 2
# repeat: 5
import ctypes
import os
import threading
import time

from truth import Truths

truths = Truths()
bouncer = ctypes.CDLL(os.environ["TRUTH_BOUNCE"])
bouncer.hammer.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
ctypes.pythonapi.Py_AtExit(bouncer.leave)


def down(depth, work):
    if depth:
        down(depth - 1, work)
    work()


def note_on():
    while True:
        truths.check(truths.released)
        truths.check(truths.held)


def hammer():
    bouncer.hammer(truths.noted_for_many(), 1 << 40)


for number in range(4):
    threading.Thread(target=down, args=(number * 9, note_on), daemon=True).start()
for number in range(3):
    threading.Thread(target=down, args=(number * 9, hammer), daemon=True).start()
time.sleep(0.05)
