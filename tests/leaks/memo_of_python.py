# SPDX-License-Identifier: Apache-2.0
# truth: quiet=expensive
"""functools.lru_cache with room for a hundred results."""
from leaks import run_steps
from functools import lru_cache


@lru_cache(maxsize=100)
def expensive(number):
    return [number] * 100


def step(number):
    for i in range(5):
        expensive(number * 5 + i)


run_steps(1000, step)
