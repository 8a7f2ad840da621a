"""Segments of PyTorch's allocator with much free between their tensors: `training` says so, and
says nothing of the same job if it keeps the tensor whose place was free."""
import json
import os

from harness import BUILD, SOURCE, expect, folder, reporter, require, run

RELEASE = "tensor_release lane=0 time=33"


def advice_of(text, name):
    source, dump = (os.path.join(folder(), name + end) for end in (".txt", ".bin"))
    with open(source, "w") as file:
        file.write(text)
    expect(run([os.path.join(BUILD, "dump-from-text"), source, dump]).status, 0, "dump-from-text")
    found = json.loads(run([reporter(), "training", "--json", "-", dump]).stdout)["advice"]
    return {advice["rule"]: advice for advice in found}


def test():
    with open(os.path.join(SOURCE, "tests", "e2e", "dumps", "gpu_training.txt")) as file:
        text = file.read()
    advice = advice_of(text, "fragmented")["segments-fragmented"]
    expect(advice["bytes"], 17 << 20, "free beside tensors, as the ledger of `gpu` has it")
    require("3 pieces, the largest of 8.0 MiB" in advice["text"], advice["text"])
    kept = "".join(line for line in text.splitlines(True) if not line.startswith(RELEASE))
    expect("segments-fragmented" in advice_of(kept, "kept"), False, "without the free part")
