# SPDX-License-Identifier: Apache-2.0
# truth: quiet=make
"""A registry of weak references: objects come and go, and at most a hundred are alive."""
import weakref

from leaks import run_steps


class Thing:
    def __init__(self):
        self.data = bytearray(700)


registry = weakref.WeakSet()
alive = []


def make():
    thing = Thing()
    registry.add(thing)
    alive.append(thing)


def step(number):
    make()
    if len(alive) > 100:
        alive.pop(0)


run_steps(2500, step)
