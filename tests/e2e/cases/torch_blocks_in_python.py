"""Python loads PyTorch locally. The reports of its allocator still arrive, and blocks and
refusals have their line of Python."""
from harness import expect, require, trace
from stacks import Stacks
from tensors import compare_steps, count, double, doubles, number, records


def test():
    library = double("torch", "libc10_cuda.so")
    traced = trace("torch_blocks_in_python", library, env=doubles())
    require("refused" in traced.stdout, traced.stdout)
    dump = traced.dumps[0]
    counts = count(dump)
    expect(counts.live(0), 4 * 3_000_320, "bytes of the blocks that are left")
    expect(counts.stated[0], (4 * 3_000_320, 20 << 20), "what the allocator says of itself")
    expect(len(counts.refused), 1, "refusals")
    require("too_much" in python_of(dump, "gpu_refused"), "no line of Python for the driver's")
    require("make_model" in python_of(dump, "tensor_acquire"), "no line of Python for a block")
    require("too_much" in python_of(dump, "tensor_refused"), "no line of Python for the refusal")


def python_of(dump, kind):
    """Returns the Python functions in the stack of the first record of this kind."""
    found = records(dump)
    codes = {number(fields, "id"): fields["name"].strip('"')
             for of, fields in found if of == "python_code"}
    node = number(next(fields for of, fields in found if of == kind), "stack")
    nodes, names = Stacks(dump).nodes, []
    while node:
        parent, of, address, _ = nodes[node]
        if of == "python":
            names.append(codes.get(address >> 20, "?"))
        node = parent
    return names
