"""PyTorch's own memory profile is the same under memtrace. Its host memory is in the space
`host`, and no tensor of a device."""
# slow
import os

from harness import SOURCE, expect, find_torch, require, trace
from tensors import count


def test():
    script = os.path.join(SOURCE, "tests", "programs", "torch_memory_profile.py")
    traced = trace([find_torch(), script], same_stderr=False)
    require("aten::relu 1 120000" in traced.stdout, traced.stdout)
    expect(count(traced.dumps[0]).acquired, 0, "blocks of a device")
