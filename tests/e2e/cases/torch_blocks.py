"""Blocks of a caching allocator, on two devices and by several threads: at each step the live
blocks of the dump equal the allocator's own count, to the byte. PyTorch's profiler receives the
allocator's reports as it does without memtrace. Refusals are in the dump with their stacks."""
from harness import expect, require, trace
from tensors import compare_steps, count, doubles, functions_of, number, records


def test():
    traced = trace("torch_blocks", env=doubles())
    dump = traced.dumps[0]
    expect(compare_steps(dump, traced.stdout), (2 * 204, 2 * 204), "comparisons")
    counts = count(dump)
    expect(counts.blocks, {}, "blocks at the end")
    require(counts.acquired > 5_000, f"only {counts.acquired} blocks were recorded")
    expect(len(counts.refused), 1, "refusals")
    expect(number(counts.refused[0], "size"), 1 << 30, "what was refused")
    require("fill_the_device" in "".join(functions_of(dump, number(counts.refused[0], "stack"))),
            "the stack of the refusal does not name who asked")
    refused = [fields for kind, fields in records(dump) if kind == "gpu_refused"]
    expect([number(fields, "size") for fields in refused], [1 << 30] * 2,
           "what the driver refused: before the allocator empties its cache, and after it")
    for fields in refused:
        require("fill_the_device" in "".join(functions_of(dump, number(fields, "stack"))),
                "the stack of the driver's refusal does not name who asked")
    first = next(fields for kind, fields in records(dump) if kind == "tensor_acquire")
    names = functions_of(dump, number(first, "stack"))
    require("DeviceCachingAllocator" in names[0], f"the innermost frame is {names[0]}")
    require(any("allocate_at_random" in name for name in names), f"nobody asked for it: {names}")
