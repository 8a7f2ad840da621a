"""Another tool in front of PyTorch's profiler, preloaded before memtrace or after it, and
memtrace itself: each receives every report once."""
import re

from harness import expect, trace
from tensors import count, double, doubles


def test():
    listener = double("torch", "libtorch_listener.so").removesuffix(".so")
    for place in ("before", "after"):
        traced = trace("torch_blocks", env=doubles(), **{place: [listener]})
        heard = int(re.search(r"heard (\d+) reports", traced.stdout).group(1))
        arrived = int(re.search(r"(\d+) reports, 1 refusals", traced.stdout).group(1))
        expect(heard, arrived, f"reports that the tool heard, {place} memtrace")
        counts = count(traced.dumps[0])
        expect(2 * counts.acquired, arrived, "blocks that came and went")
        expect(counts.blocks, {}, "blocks at the end")
