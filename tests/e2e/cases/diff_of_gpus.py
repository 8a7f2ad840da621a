"""diff of two programs that use a GPU: each space that differs has a section, those of the device,
too; lines and call sites of each add up to the totals of both recordings."""
from diffs import check_sums, diff, diff_json
from gpu import GpuRun
from harness import expect, report, require


def test():
    dumps = [GpuRun(name).traced.dumps[0] for name in ("gpu_linked", "gpu_runtime")]
    data = diff_json(*dumps)
    expect(data["same_program"], False, "two programs")
    names = {name for dump in dumps for name in report(dump).data["spaces"]}
    expect(set(data["spaces"]), names, "the spaces of both")
    require(any(name.startswith("device:") for name in names), f"a device: {names}")
    check_sums(data, *dumps)
    text = diff(*dumps)
    require("two different programs: gpu_linked, and gpu_runtime" in text, text)
    for name, space in data["spaces"].items():
        if space["change"]["at_peak_bytes"] != 0:
            require(f"Peak of {name}: " in text, f"{name} has a section: {text}")
    only = diff(*dumps, "--space", "device:0")
    require("of device:0" in only and "of host" not in only, only)
    for dump in dumps:
        expect(diff_json(dump, dump)["differs"], False, "a recording and itself")
