# SPDX-License-Identifier: Apache-2.0
"""The script that truth_embed runs in an interpreter that it has started. ROUND counts the runs."""

import sys
import threading

from truth import Truths

truths = Truths(ROUND << 20)  # noqa: F821


def both():
    sys.audit("truth", truths.noted())


def down(depth):
    both()
    if depth:
        list(map(lambda _: down(depth - 1), [1]))
    [both() for _ in range(2)]


# The shim validates a few stacks before Python recording is on.
for depth in range(10):
    down(depth)
threads = [threading.Thread(target=down, args=(depth,)) for depth in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
