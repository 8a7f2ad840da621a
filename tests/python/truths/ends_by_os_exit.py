# SPDX-License-Identifier: Apache-2.0
"""os._exit() on a thread, while others allocate."""
# unfinished: 4
# exit: 3
import os
import threading
import time

from truth import Truths

truths = Truths()


def note_on():
    while True:
        truths.both()


def leave():
    truths.both()
    time.sleep(0.05)
    truths.both()
    os._exit(3)


for _ in range(3):
    threading.Thread(target=note_on, daemon=True).start()
threading.Thread(target=leave).start()
time.sleep(20)
