"""A program linked to libnvToolsExt.so.1: memtrace becomes the library's tool. If no tool can be
attached to the library, its functions are hooks that pass the call on. Either way a call counts
once."""
import os

from harness import expect, trace
from phases import DOUBLES, Phases, expect_nvtx_story


def test():
    for folder in ("with", "without"):
        traced = trace("nvtx_by_library", env={"LD_LIBRARY_PATH": os.path.join(DOUBLES, folder)})
        expect_nvtx_story(Phases(traced.dumps[0]))
        expect(traced.stdout, "-2 -2\n", f"what push and pop return: {folder} a door for tools")
