"""children=same records forks and the same executable, all records everything, none records only
the first process."""
import os

from harness import expect, require, trace


def commands(traced):
    return sorted(os.path.basename(child.program["command"][0]) for child in traced.children)


def test():
    expect(commands(trace("spawns_other_programs")), [], "children=same")
    everything = trace("spawns_other_programs", options="children=all")
    require(commands(everything).count("sh") >= 3, f"children=all: {commands(everything)}")
    expect(commands(trace("spawns_itself", options="children=none")), [], "children=none")
    forked = trace("fork_child_exits", options="children=none")
    expect(commands(forked), [], "children=none, forked")
    require(len(commands(trace("spawns_itself"))) >= 3, "children=same, same executable")
