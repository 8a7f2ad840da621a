"""Advice on a training is given to the programs that need it, and not to their repaired twins."""
# slow
import os
import sys

from harness import BUILD, SOURCE, find_torch, folder, require

sys.path.insert(0, os.path.join(SOURCE, "tests", "training"))
import runner  # noqa: E402

# One pair of each rule that needs no long run; scripts/measure/training-kinds runs all.
EVERYDAY = ("outputs_kept_in_validation", "outputs_kept_without_graph", "gradients_zeroed",
            "gradients_set_to_none", "features_kept_detached")


def test():
    python = find_torch()
    for name in EVERYDAY:
        program = runner.Program(runner.ADVICE / f"{name}.py")
        dump, _ = runner.run(python, program, BUILD, folder())
        wrong = runner.wrong_advice(program, runner.report(BUILD, dump))
        require(not wrong, f"{name}: {wrong}")
