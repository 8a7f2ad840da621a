# SPDX-License-Identifier: Apache-2.0
"""Calls of every kind, for programs that differ only in how the interpreter is started."""

import os
import threading
import time

from truth import Truths

truths = Truths()
both = truths.both


class Thing:
    def __init__(self, depth):
        both()
        if depth:
            Thing(depth - 1)

    def __del__(self):
        both()


def numbers(depth):
    both()
    if depth:
        yield from numbers(depth - 1)
    yield depth


def end(thread):
    """Waits for the end of a thread, including its end in the kernel.

    join() returns before the thread has given back its last memory. Up to 3.12 the interpreter
    replaces the raw allocator for a moment at its end (python/cpython#111924). If a thread calls
    its last free() at that moment, with PYTHONMALLOC=debug, libc aborts it, with the shim or
    without.
    """
    thread.join()
    while os.path.exists(f"/proc/self/task/{thread.native_id}"):
        time.sleep(0.001)


def run():
    for depth in range(12):
        Thing(depth % 4)
        list(numbers(depth))
        [both() for _ in range(2)]
        exec("def made():\n    both()\nmade()\n", {"both": both})
        sorted([2, 1], key=lambda n: both() or n)
    threads = [threading.Thread(target=Thing, args=(5,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        end(thread)
