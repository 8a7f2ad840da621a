"""A training whose tensors lie in PyTorch's own caching allocator of CUDA memory is told as rightly
as one on the host. The allocator runs on the doubles of CUDA's libraries."""
# slow
import os
import sys

from harness import BUILD, SOURCE, expect, find_torch, folder, require, skip

sys.path.insert(0, os.path.join(SOURCE, "tests", "training"))
import on_device  # noqa: E402
import runner  # noqa: E402

# The allocator rounds sizes up to 512 bytes, which makes the second one hard.
EVERYDAY = ("momentum_cnn", "replay_buffer")


def test():
    python = find_torch()
    cache = os.path.join(SOURCE, "build", "torch-allocator")
    try:
        variables = on_device.prepare(python, BUILD, cache, offline=True)
    except runner.NotHere as reason:
        skip(str(reason))
    failed = []
    for name in EVERYDAY:
        program = runner.Program(runner.PROGRAMS / f"{name}.py")
        recorded = runner.record(python, program, BUILD, folder(), variables)
        report = runner.report(BUILD, recorded[0][0])
        spaces = [space["space"] for space in report["training"]["spaces"]]
        expect(spaces[0], "tensors:cuda:0", f"{name}: the space with most tensors")
        moments = runner.judge(BUILD, recorded)
        expect(len(moments), sum(len(truth["moments"]) for _, truth in recorded), "moments")
        failed += [f"{name}: {moment.described()}" for moment in moments if not moment.passes]
    require(not failed, "\n".join(failed))
