"""With a fixed name the first process uses that name. Children append .<pid>, and their dumps
name their parent."""
import os

from harness import expect, trace


def test():
    traced = trace("fork_grandchildren")
    expect(os.path.basename(traced.dumps[0]), "dump.bin")
    for child in traced.children:
        expect(os.path.basename(child.dump), f"dump.bin.{child.program['pid']}")
