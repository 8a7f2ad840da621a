# SPDX-License-Identifier: Apache-2.0
"""Python that recurses deep and allocates on each level.  deep.py DEPTH ROUNDS"""

import sys


def descend(depth):
    block = bytearray(1000)
    return len(block) + (descend(depth - 1) if depth > 1 else 0)


def main():
    depth, rounds = int(sys.argv[1]), int(sys.argv[2])
    print(sum(descend(depth) for _ in range(rounds)), "bytes")


main()
