# SPDX-License-Identifier: Apache-2.0
"""The interpreter ends while daemon threads allocate, in Python and in C, and frees their frames.

After the interpreter the process ends at once. Up to 3.12 a daemon thread that returns to Python
after that crashes, also without the shim. On a busy machine this happens now and then.
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
