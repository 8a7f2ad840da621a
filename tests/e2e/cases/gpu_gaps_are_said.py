"""Driver functions that memtrace does not know or does not follow are named in the dump, once
each. Functions that do not exist are not named."""
import gpu
from harness import expect, require


def test():
    found = gpu.GpuRun("gpu_gaps", check_report=False)
    require("errno 77" in found.traced.stdout, found.traced.stdout)
    notes = found.notes()
    for name in ("cuMemAlloc,", "cuMemAllocOfTomorrow of CUDA 14000,", "cuMemMapArrayAsync:"):
        expect(sum(name in note for note in notes), 1, f"notes of {name} in {notes}")
    expect(len(notes), 3, f"notes: {notes}")
