#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the counters of a run under libmemtrace-compare.so, and judges them.

    compare_report.py FILE [--at-least STACKS]

Exit code 1 if two unwinders differed, or if fewer stacks were compared than wanted.
"""

import argparse
import struct
import sys

# As struct Counts of compare.cpp.
NAMES = ("stacks", "asked", "frames", "verified", "mismatches_plain", "mismatches_libunwind",
         "mismatches_libgcc", "complete", "guessed", "no_data", "failed", "depth")


def read(path):
    with open(path, "rb") as file:
        return dict(zip(NAMES, struct.unpack(f"<{len(NAMES)}Q", file.read(8 * len(NAMES)))))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("file")
    parser.add_argument("--at-least", type=int, default=1)
    arguments = parser.parse_args()
    counts = read(arguments.file)
    for name, value in counts.items():
        print(f"{name:22}{value:16,}")
    wrong = sum(value for name, value in counts.items() if name.startswith("mismatches"))
    if counts["asked"] < arguments.at_least:
        print(f"Only {counts['asked']} stacks were compared with all; wanted {arguments.at_least}.")
        return 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
