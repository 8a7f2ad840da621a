#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""truth_run.py PROGRAM SEED...: a truth program must find every stack right.

Exit codes: 0 passed, 1 failed, 77 skipped (the reason is printed).
"""
import re
import subprocess
import sys

SECONDS_MAX = 120


def main():
    program, seeds = sys.argv[1], sys.argv[2:]
    if "avx2" in program and not re.search(r"\bavx2\b", open("/proc/cpuinfo").read()):
        print("skipped: this processor has no AVX2")
        return 77
    for arguments in (["stories"], ["graph", *seeds]):
        done = subprocess.run([program, *arguments], timeout=SECONDS_MAX, check=False)
        if done.returncode != 0:
            print(f"FAILED: {program} {' '.join(arguments)}: exit code {done.returncode}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
