"""A program closes descriptor 2 and opens a data file there: memtrace writes nothing into its
data."""
import os

from harness import expect, trace


def test():
    traced = trace("reopens_stderr")
    with open(os.path.join(traced.cwd, "stderr.data")) as data:
        expect(data.read(), "data", "the data file")
