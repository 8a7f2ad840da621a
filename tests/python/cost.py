# SPDX-License-Identifier: Apache-2.0
"""The cost of a walk: cost.py LIBRARY prints ns of an unchanged walk at depths 10, 30 and 60."""

import sys

from pywalk import STATES, Walks


def main():
    walks = Walks(sys.argv[1])
    library = walks.library
    library.pywalk_start(0)

    def down(depth):
        if depth > 1:
            return down(depth - 1)
        walks.held(walks.buffer(), 9)
        return library.pywalk_cost(200000)

    for depth in range(1, 8):
        down(depth)
    if STATES[library.pywalk_state()] != "on":
        sys.exit("cost.py: Python is off: " + library.pywalk_why().decode())
    # Alternates, and takes the best of each: other work of the machine only adds.
    costs = {depth: [] for depth in (10, 30, 60)}
    for _ in range(9):
        for depth, found in costs.items():
            found.append(down(depth - 2))
    print("Python %-8s" % library.pywalk_version().decode(), *(
        "  depth %d: %5.1f ns" % (depth, min(found) / 1000) for depth, found in costs.items()))


if __name__ == "__main__":
    main()
