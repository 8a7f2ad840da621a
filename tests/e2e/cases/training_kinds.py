"""What memory is for is told from the dump: the kinds of a training's tensors are those that the
program itself knows, at moments of the forward pass, the backward pass and the step."""
# slow
import os
import sys

from harness import BUILD, SOURCE, expect, find_torch, folder, require

sys.path.insert(0, os.path.join(SOURCE, "tests", "training"))
import runner  # noqa: E402

# A part of what scripts/measure/training-kinds runs.
EVERYDAY = ("adamw_transformer", "closure", "checkpoint_hooks", "own_momentum", "resume_fresh",
            "flat", "detached_results", "kfac", "replaced_weights")


def test():
    python = find_torch()
    failed = []
    for name in EVERYDAY:
        program = runner.Program(runner.PROGRAMS / f"{name}.py")
        recorded = runner.record(python, program, BUILD, folder())
        moments = runner.judge(BUILD, recorded)
        expect(len(moments), sum(len(truth["moments"]) for _, truth in recorded), "moments")
        failed += [f"{name}: {moment.described()}" for moment in moments if not moment.passes]
    require(not failed, "\n".join(failed))
