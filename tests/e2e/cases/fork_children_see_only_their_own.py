"""A child's dump contains what the child did. Its frees of the parent's blocks are neither frees
nor anomalies."""
from harness import expect, trace


def test():
    traced = trace("fork_child_exits")
    child, = traced.children
    expect(child.host["allocations"], 7, "allocations of the child")
    expect(child.program["end"], "exit 5", "the child's end")
    expect(traced.main.program["end"], "exit 0", "the parent's end")
    expect(child.capture["anomalies"], 0, "anomalies of the child")
