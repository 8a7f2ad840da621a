"""PyTorch: what the memory of a training is for, told from stacks and lives. The program prints
what its own tensors take at a mark. Its other tensors are activations and scalars."""
# slow
import os

from harness import SOURCE, expect, find_torch, report, reporter, require, run, trace

PROGRAM = os.path.join(SOURCE, "tests", "torch", "tells_its_kinds.py")
# Tensors of one number, such as counts of steps, are in no sum of the program's.
SMALL_BYTES = 2000


def test():
    traced = trace([find_torch(), PROGRAM], bare=False, timeout=100)
    expect(traced.status, 0, f"exit status: {traced.stderr[-1000:]}")
    truth = {kind: int(size) for kind, size in map(str.split, traced.stdout.splitlines())}
    found = report(traced.dumps[0], "training", ["--blocks-at", "now"]).data
    expect(found["training"]["backward_passes"], 5, "backward passes")
    (moment,) = found["moments"]
    kinds = {kind: moment["kinds"].get(kind, {"bytes": 0})["bytes"] for kind in truth}
    for kind, size in truth.items():
        require(0 <= kinds[kind] - size <= SMALL_BYTES, f"{kind}: {kinds[kind]}, really {size}")
    check_peak(found["training"]["spaces"][0], traced.data["spaces"]["host"])
    check_text(traced.dumps[0])
    check_summary(traced.dumps[0], found["training"]["spaces"])


def check_peak(host, space):
    expect(host["peak_bytes"], space["peak_bytes"], "bytes at the peak")
    expect(sum(kind["bytes"] for kind in host["kinds"]), host["tensor_bytes"], "sum of the kinds")
    for kind in host["kinds"]:
        expect(sum(line["bytes"] for line in kind["lines"]), kind["bytes"],
               f"sum of the lines of {kind['kind']}")
    activations = [kind for kind in host["kinds"] if kind["kind"] == "activation"]
    require(activations and activations[0]["lines"][0]["function"] == "Net.forward",
            f"the largest line of activations: {activations[:1]}")


def check_summary(dump, spaces):
    """The summary tells makers and no kinds. They have the same tensors, and as far as a kind has
    makers of its own, their bytes."""
    (made,) = report(dump, "summary").data["tensors_at_peak"]
    (host,) = spaces
    expect((made["space"], made["bytes"]), (host["space"], host["tensor_bytes"]), "tensors")
    expect(sum(made["made_by"].values()), made["bytes"], "sum of the makers")
    kinds = {kind["kind"]: kind["bytes"] for kind in host["kinds"]}
    for kind, maker in (("optimiser_state", "optimiser"), ("gradient", "backward"),
                        ("parameter", "model")):
        require(kinds.get(kind, 0) <= made["made_by"][maker], f"{kind}: {kinds}, {made}")
    text = " ".join(run([reporter(), dump]).stdout.split())
    require("tensors in host at its peak: " in text and ": memtrace-report training" in text,
            text[:2000])


def check_text(dump):
    text = run([reporter(), "training", dump]).stdout
    require("What the memory is for: host at its peak" in text, text)
    require("of 5" in text and "activations" in text, text)
