# SPDX-License-Identifier: Apache-2.0
"""Python's signal handlers run between any two instructions, and allocate."""
import signal

from truth import Truths

truths = Truths()
calls = 0
deep = 0


def handler(number, frame):
    global calls, deep
    calls += 1
    if deep < 3:
        deep += 1
        truths.both()
        deep -= 1


def work(depth):
    truths.both()
    if depth:
        work(depth - 1)
    [truths.check(truths.released) for _ in range(2)]


signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.0005)
while calls < 200:
    work(9)
signal.setitimer(signal.ITIMER_REAL, 0)
