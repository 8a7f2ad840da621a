#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a command under libmemtrace-compare.so and judges what was counted.

    compare_run.py --library LIB [--every N] [--at-least STACKS] [--markdown NAME] -- COMMAND...

Prints the counters, or with --markdown one row of a table. Exit code 1 if two unwinders differed
about a stack, if fewer stacks than required were compared with all, or if the command failed.
"""

import argparse
import os
import struct
import subprocess
import sys
import tempfile
import time

# As struct Counts of compare.cpp.
NAMES = ("stacks", "recognised", "asked", "frames", "verified", "mismatches_recognised",
         "mismatches_plain", "mismatches_libunwind", "mismatches_libgcc", "complete", "guessed",
         "no_data", "failed", "depth")


def run(command, library, every):
    with tempfile.NamedTemporaryFile() as file:
        environment = dict(os.environ, LD_PRELOAD=library, MEMTRACE_COMPARE_OUTPUT=file.name,
                           MEMTRACE_COMPARE_EVERY=str(every))
        start = time.monotonic()
        code = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL).returncode
        seconds = time.monotonic() - start
        counters = file.read(8 * len(NAMES))
    if len(counters) < 8 * len(NAMES):
        sys.exit(f"compare_run.py: {command[0]} left no counters; exit code {code}")
    return code, seconds, dict(zip(NAMES, struct.unpack(f"<{len(NAMES)}Q", counters)))


def row(name, counts, seconds):
    frames = counts["frames"] / max(1, counts["stacks"])
    verified = 100 * counts["verified"] / max(1, counts["frames"])
    recognised = 100 * counts["recognised"] / max(1, counts["stacks"])
    complete = 100 * counts["complete"] / max(1, counts["stacks"])
    return (f"| {name} | {counts['stacks']:,} | {counts['asked']:,} | {frames:.1f} | "
            f"{verified:.1f} % | {recognised:.0f} % | {counts['mismatches_recognised']} | "
            f"{counts['mismatches_plain']} | {counts['mismatches_libunwind']} | "
            f"{counts['mismatches_libgcc']} | {complete:.3f} % | {seconds:.0f} s |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--library", required=True)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--at-least", type=int, default=1)
    parser.add_argument("--markdown", metavar="NAME")
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    code, seconds, counts = run(arguments.command, arguments.library, arguments.every)
    if arguments.markdown:
        print(row(arguments.markdown, counts, seconds))
    else:
        for name, value in counts.items():
            print(f"{name:22}{value:16,}")
    wrong = sum(value for name, value in counts.items() if name.startswith("mismatches"))
    problems = []
    if wrong:
        problems.append(f"{wrong} stacks on which two unwinders differ")
    if counts["asked"] < arguments.at_least:
        problems.append(f"only {counts['asked']} stacks compared with all, not "
                        f"{arguments.at_least}")
    if code != 0:
        problems.append(f"{arguments.command[0]} ended with exit code {code}")
    for problem in problems:
        print(f"compare_run.py: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
