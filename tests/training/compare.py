#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what `memtrace-report training` says of a program's tensors with what the program knows.

    compare.py REPORT.json TRUTH.json

REPORT.json is written by `memtrace-report training --json REPORT.json --blocks-at MARK … DUMP`,
with the marks of TRUTH.json, which a program with truth.py writes. A storage of the truth belongs
to the block that contains its address. The share that is right, and the share of unknown kind, are
those of the truth's bytes; a storage that is in no block counts as unknown. The exit code is 1 if a
moment has less than 98 % right or more than 2 % unknown, and 2 if the two files do not belong
together.
"""
import bisect
import collections
import json
import sys

RIGHT_MIN = 0.98
UNKNOWN_MAX = 0.02
SHOWN_MAX = 8  # mismatches that are listed for each moment
ABSENT = "in no block"
# Kinds that say as much as can be known: a compiled step of JAX or TensorFlow does not tell more.
ALSO_RIGHT = {"model_state": ("parameter", "optimiser_state"),
              "computed": ("activation", "gradient", "temporary")}


class NotComparable(Exception):
    """The report has no answer to the truth's question. The reason is a sentence."""


class Blocks:
    """The blocks that a report lists for one moment, found by an address inside."""

    def __init__(self, blocks):
        self.blocks = sorted(blocks, key=lambda block: block["address"])
        self.addresses = [block["address"] for block in self.blocks]

    def find(self, address):
        at = bisect.bisect_right(self.addresses, address) - 1
        if at >= 0 and address < self.addresses[at] + self.blocks[at]["bytes"]:
            return self.blocks[at]
        return None


class Moment:
    """The comparison of one moment. All figures are bytes of the truth's storages, except `more`:
    bytes of blocks in which the truth has nothing."""

    def __init__(self, mark, blocks, storages):
        self.mark = mark
        self.bytes = sum(storage["bytes"] for storage in storages)
        self.right = self.unknown = 0
        self.wrong = []  # (bytes, address, kind that was told, kind that is true)
        blocks, met = Blocks(blocks), set()
        for storage in storages:
            block = blocks.find(storage["pointer"])
            told = block["kind"] if block else ABSENT
            if block:
                met.add(block["address"])
            if told == storage["kind"] or storage["kind"] in ALSO_RIGHT.get(told, ()):
                self.right += storage["bytes"]
                continue
            if told in (ABSENT, "unknown"):
                self.unknown += storage["bytes"]
            self.wrong.append((storage["bytes"], storage["pointer"], told, storage["kind"]))
        self.more = sum(block["bytes"] for block in blocks.blocks if block["address"] not in met)

    @property
    def right_share(self):
        return self.right / self.bytes if self.bytes else 1.0

    @property
    def unknown_share(self):
        return self.unknown / self.bytes if self.bytes else 0.0

    @property
    def passes(self):
        return self.right_share >= RIGHT_MIN and self.unknown_share <= UNKNOWN_MAX

    def confusions(self):
        """Returns (told, true) and the bytes of it, largest first."""
        sums = collections.Counter()
        for size, _, told, true in self.wrong:
            sums[told, true] += size
        return sums.most_common()

    def described(self):
        lines = [f"{self.mark:38} {100 * self.right_share:6.2f} % right "
                 f"{100 * self.unknown_share:6.2f} % unknown of {self.bytes:>12,} bytes"
                 f"{'' if self.passes else '   FAILED'}"]
        if self.more:
            lines.append(f"  {self.more:,} bytes more are in blocks that the truth does not know")
        largest = sorted(self.wrong, reverse=True)
        lines += [f"  {address:#x} {size:>12,} bytes: told {told}, is {true}"
                  for size, address, told, true in largest[:SHOWN_MAX]]
        if len(largest) > SHOWN_MAX:
            lines.append(f"  and {len(largest) - SHOWN_MAX} smaller ones")
        return "\n".join(lines)


def marks_of(truth):
    return [moment["mark"] for moment in truth["moments"]]


def compare(report, truth):
    """Returns the comparison of each moment of the truth."""
    if not truth.get("moments"):
        raise NotComparable("The truth has no moment.")
    told = {moment["mark"]: moment["blocks"] for moment in report.get("moments", [])}
    missing = [mark for mark in marks_of(truth) if mark not in told]
    if missing:
        raise NotComparable(f"The report lists no blocks at {', '.join(map(repr, missing))}; "
                            "say --blocks-at for each mark of the truth.")
    return [Moment(moment["mark"], told[moment["mark"]], moment["storages"])
            for moment in truth["moments"]]


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        moments = compare(read(sys.argv[1]), read(sys.argv[2]))
    except NotComparable as reason:
        print(reason, file=sys.stderr)
        return 2
    for moment in moments:
        print(moment.described())
    return 0 if all(moment.passes for moment in moments) else 1


if __name__ == "__main__":
    sys.exit(main())
