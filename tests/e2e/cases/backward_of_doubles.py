"""Memory that nodes allocate backward is attributed to the line that went forward, to the byte:
on the calling thread, on one of the engine's threads, nested, and for a node at the address of an
earlier node. Nodes are referred to as in PyTorch 2.13 and as in earlier versions."""
import os

from harness import built, expect, require, trace

SOURCE_NAME = "backward_nodes.cpp"


def test():
    for library in ("lib_autograd_intrusive", "lib_autograd_shared"):
        traced = trace("backward_nodes", built(library + ".so"))
        expect(backwards(traced.main), truth(traced.stdout), library)
        expect(forward_again(traced.main), truth(traced.stdout), f"{library}: of the whole tree")
        require(len(traced.children) == 1, f"{len(traced.children)} children were recorded")
        child = backwards(traced.children[0])
        not_recorded = child.pop(("", 0, "ScaleBackward0"), None)
        expect(not_recorded, [3, 4_000_000], f"{library}: what the parent made")
        expect(list(child.values()), [[3, 4_000_000]], f"{library}: what the child made")
        require(list(child)[0][0] == SOURCE_NAME, f"{child}")


def truth(stdout):
    """Returns {(file, line, operation): [calls, bytes]}."""
    found = {}
    for line in stdout.splitlines():
        number, operation, calls, size = line.split()
        sums = found.setdefault((SOURCE_NAME, int(number), operation), [0, 0])
        sums[0] += int(calls)
        sums[1] += int(size)
    return found


def backwards(report):
    """Returns the same, from the sites of the report."""
    found = {}
    for site in report.sites:
        if "backward" not in site:
            continue
        frame = site["backward"]
        expect(frame["kind"], "backward", "kind of frame")
        require(frame in site["stack"], f"{frame} is not in {site['stack']}")
        key = os.path.basename(frame["file"]), frame["line"], frame["operation"]
        sums = found.setdefault(key, [0, 0])
        sums[0] += site["allocations"]
        sums[1] += site["allocated_bytes"]
    return found


def forward_again(report):
    """Returns the same, from the stacks. The innermost backward entry counts: it lies between
    engine and operation."""
    found = {}
    for site in report.sites:
        kinds = [frame["kind"] for frame in site["stack"]]
        if "backward" not in kinds:
            continue
        place = kinds.index("backward")
        inner, outer = site["stack"][place - 1], site["stack"][place + 1]
        require("apply" in inner["function"], f"inside: {inner}")
        require("Engine::evaluate_function" in outer["function"], f"outside: {outer}")
        frame = site["stack"][place]
        key = os.path.basename(frame["file"]), frame["line"], frame["operation"]
        sums = found.setdefault(key, [0, 0])
        sums[0] += site["allocations"]
        sums[1] += site["allocated_bytes"]
    return found
