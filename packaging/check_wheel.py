# SPDX-License-Identifier: Apache-2.0
"""Checks a wheel: it needs no newer system than its tag promises, and is not too large.

    auditwheel show WHEEL | check_wheel.py WHEEL PLATFORM BYTES_MAX
"""
import os
import re
import sys


def glibc_of(platform):
    """Returns (2, 28) for manylinux_2_28_x86_64."""
    found = re.match(r"manylinux_(\d+)_(\d+)_", platform)
    return tuple(map(int, found.groups())) if found else (99,)


def main():
    wheel, platform, bytes_max = sys.argv[1], sys.argv[2], int(sys.argv[3])
    said = " ".join(sys.stdin.read().split())
    verdict = re.search(r'following platform tag: "([^"]+)"', said)
    if verdict is None:
        sys.exit(f"{wheel}: auditwheel gives no verdict: {said}")
    size = os.path.getsize(wheel)
    print(f"{size:,} bytes; auditwheel: {verdict[1]}")
    if size > bytes_max:
        sys.exit(f"{wheel}: {size} bytes; at most {bytes_max} are wanted")
    if glibc_of(verdict[1]) > glibc_of(platform):
        sys.exit(f"{wheel}: its symbols need {verdict[1]}, and its tag is {platform}")


if __name__ == "__main__":
    main()
