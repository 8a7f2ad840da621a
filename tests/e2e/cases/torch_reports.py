"""Reports about host memory are passed on and not recorded. Reports about any other device are
recorded. This includes reports as they were before PyTorch 1.12, and by a library that was loaded
again."""
from harness import expect, trace
from tensors import count, double, doubles


def test():
    library = double("torch", "libc10_cuda.so")
    traced = trace("torch_reports", library, env=doubles())
    expect(traced.stdout, "arrived: 900 bytes, 7 reports, 0 refusals\n" * 3, "stdout")
    counts = count(traced.dumps[0])
    expect(counts.acquired, 9, "blocks")
    expect(counts.blocks, {(12, (round << 20) + 0x3000): (3, 900) for round in (1, 2, 3)},
           "blocks that are left")
