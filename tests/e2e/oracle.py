# Reads the counts of tests/oracle/oracle.c.
import glob
import struct

ROW = ("allocations", "frees", "bytes", "leaked_blocks", "leaked_bytes")


class Count:
    def __init__(self, path):
        with open(path, "rb") as file:
            words = struct.unpack("<8s14Q", file.read())
        self.path, self.pid = path, words[1]
        self.forked = words[2] != 0
        self.all = dict(zip(ROW, words[3:8]))
        self.own = dict(zip(ROW, words[8:13]))
        self.inherited_frees, self.unknown_frees = words[13:15]


def read(base):
    """Returns every count that a run with ORACLE_OUTPUT=base left, the first process first."""
    return [Count(path) for path in sorted(glob.glob(glob.escape(base) + ".*.*"))]
