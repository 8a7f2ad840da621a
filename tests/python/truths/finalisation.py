# SPDX-License-Identifier: Apache-2.0
"""Code that runs while the interpreter ends: exit handlers, raising destructors, and generators."""
import atexit
import sys
import threading

from truth import Truths

truths = Truths()
sys.stderr = open("/dev/null", "w")


class Last:
    def __init__(self, name):
        self.name = name
        self.itself = self if name == "cycle" else None

    def __del__(self, truths=truths, ValueError=ValueError):
        truths.both()
        try:
            raise KeyError(self.name)
        except KeyError:
            truths.both()
        raise ValueError(self.name)


def half_way():
    try:
        yield
    finally:
        truths.both()


def at_exit():
    truths.both()
    raise RuntimeError


atexit.register(at_exit)
of_module = Last("module")
of_cycle = Last("cycle")
of_sys = sys.memtrace_last = Last("sys")
del of_sys
generator = half_way()
next(generator)
thread = threading.Thread(target=lambda: (truths.both(), Last("thread")))
thread.start()
