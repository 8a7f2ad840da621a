# SPDX-License-Identifier: Apache-2.0
"""The interpreter ends while daemon threads allocate in C, and they go on until the end."""
# allow: finalizing
# crashes: 2
# repeat: 3
import ctypes
import os
import threading
import time

from truth import Truths

truths = Truths()
bouncer = ctypes.CDLL(os.environ["TRUTH_BOUNCE"])
bouncer.hammer.argtypes = [ctypes.c_size_t, ctypes.c_size_t]


def down(depth):
    truths.both()
    if depth:
        down(depth - 1)
    else:
        bouncer.hammer(truths.noted_for_many(), 1 << 40)


for number in range(3):
    threading.Thread(target=down, args=(number * 9,), daemon=True).start()
time.sleep(0.05)
truths.both()
