#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of a block of PyTorch's caching allocator: `tensor_cost.py [BUILD]`.

valgrind counts the instructions of tests/programs/torch_churn.c, under memtrace and without. The
result is the difference of two runs: it excludes the start and includes the work to fill the dump.
"""

import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FEW, MANY = 20_000, 120_000


def run(build, folder, blocks, options):
    """Returns (instructions, bytes of the dump) of a run, without memtrace if options is None."""
    counts, dump = os.path.join(folder, "counts"), os.path.join(folder, f"{blocks}.bin")
    environment = dict(os.environ, LD_LIBRARY_PATH=os.path.join(build, "doubles/libcuda"),
                       MEMTRACE_OUTPUT=dump, MEMTRACE_OPTIONS=f"quiet=1,{options}")
    start = ["env", f"LD_PRELOAD={build}/libmemtrace.so"] if options is not None else []
    subprocess.run(
        ["valgrind", "-q", "--tool=callgrind", "--trace-children=yes",
         f"--callgrind-out-file={counts}", *start,
         os.path.join(build, "programs", "torch_churn"), str(blocks)],
        env=environment, check=True, stdout=subprocess.DEVNULL)
    with open(counts) as file:
        total = int(re.search(r"^(?:totals|summary): (\d+)", file.read(), re.M).group(1))
    return total, os.stat(dump).st_size if options is not None else 0


def each(build, folder, options):
    """Returns the same figures for one block."""
    few, many = (run(build, folder, blocks, options) for blocks in (FEW, MANY))
    return [(more - less) / (MANY - FEW) for less, more in zip(few, many)]


def main():
    build = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build/dev"))
    print("| a block that comes and goes | instructions | bytes in the dump |\n|---|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        bare, _ = each(build, folder, None)
        for what, options in (("with its stack of 24 frames", "stacks=1"),
                              ("without stacks", "stacks=0")):
            instructions, size = each(build, folder, options)
            print(f"| {what} | {instructions - bare:,.0f} | {size:.1f} |", flush=True)


if __name__ == "__main__":
    main()
