# SPDX-License-Identifier: Apache-2.0
"""Under coverage, with its tracer in C, and with sys.monitoring if it supports that."""
import os
import sys

from truth import Truths

try:
    import coverage
except ImportError:
    print("coverage is not installed")
    os._exit(77)

truths = Truths()


def work(depth):
    truths.both()
    if depth:
        work(depth - 1)
    else:
        [truths.both() for _ in range(2)]


for core in ("ctrace", "sysmon") if sys.version_info >= (3, 12) else ("ctrace",):
    os.environ["COVERAGE_CORE"] = core
    running = coverage.Coverage(data_file=None)
    running.start()
    for depth in range(20):
        work(depth)
    running.stop()
    work(5)
