"""Two CUDA runtimes and a third inside a library, all loaded locally: what each takes is in the
dump once, with the library that called it."""
from harness import BUILD, expect, require, trace
from tensors import compare_steps, doubles, functions_of, number, records


def test():
    traced = trace("gpu_runtimes", f"{BUILD}/doubles", env=doubles())
    dump = traced.dumps[0]
    found = compare_steps(dump, traced.stdout, blocks_are_reported=False)
    expect(found.segments, 5, "comparisons")
    acquired = [fields for kind, fields in records(dump) if kind == "gpu_acquire"]
    expect([(fields["api"], fields["memory"], number(fields, "size")) for fields in acquired],
           [("cuMemAlloc", "device", 3_000_000), ("cuMemAlloc", "device", 3_000_001),
            ("cuMemAlloc", "device", 5 << 20), ("cuMemAddressReserve", "reserved", 64 << 20),
            ("cuMemCreate", "physical", 64 << 20)], "what was taken")
    for fields in acquired[2:]:
        names = functions_of(dump, number(fields, "stack"))
        require("fake_nccl_open" in names, f"nobody asked for {fields}: {names}")
