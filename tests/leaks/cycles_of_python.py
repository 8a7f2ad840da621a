# SPDX-License-Identifier: Apache-2.0
# truth: quiet=make
"""Objects that point to each other, which the garbage collector frees now and then."""
from leaks import run_steps


class Item:
    pass


def make():
    a, b = Item(), Item()
    a.other, b.other = b, a
    a.data = bytearray(600)


def step(number):
    for _ in range(10):
        make()


run_steps(1000, step)
