# SPDX-License-Identifier: Apache-2.0
"""The resident set at five points of a loop: what a program keeps, measured without memtrace."""
import os
import sys

PAGE = os.sysconf("SC_PAGE_SIZE")
POINTS = []


def resident_mib():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * PAGE / 2**20


def note(i, count):
    """Call this at the end of round i of `count`: a script with a loop of its own."""
    if (i + 1) % (count // 5) == 0 and len(POINTS) < 5:
        POINTS.append(resident_mib())
        if len(POINTS) == 5:
            print("resident MiB:", " ".join("%.1f" % point for point in POINTS), file=sys.stderr)


def loop(count, step):
    for i in range(count):
        step(i)
        note(i, count)
