# Compares the report of one program of tests/programs with the truth that the program states.
import glob
import os

import harness
from harness import Failed, expect, require, skip
from truth import Truth, differences


def check(name):
    source = glob.glob(os.path.join(harness.SOURCE, "tests", "programs", name + ".*"))[0]
    truth = Truth(source)
    arguments = {"before": split(truth, "before"), "after": split(truth, "after"),
                 "same_stderr": truth.run.get("stderr") != "free"}
    if not truth.by_oracle_only:
        check_truth(truth, harness.trace(name, **arguments))
    if truth.run.get("oracle") != "no":
        check_oracle(truth, arguments)


def split(truth, key):
    return [part for part in truth.run.get(key, "").split(",") if part]


def check_truth(truth, traced):
    expect(traced.status, truth.status(), "exit status")
    low, high = truth.dumps()
    require(low <= len(traced.dumps) <= high,
            f"{len(traced.dumps)} dumps, not {truth.run['dumps']}")
    wrong = []
    for space in ("host", "mmap"):
        if space in truth.numbers:
            own = truth.run["scope"] == "own"
            found = traced.main.sum(space, own=True) if own else traced.main.space(space)
            wrong += [f"{space} {text}" for text in differences(truth.numbers[space], found)]
    wrong += check_children(truth, traced)
    if "end" in truth.run:
        require(traced.main.program["end"].startswith(truth.run["end"]),
                f"the end is said to be {traced.main.program['end']!r}, not {truth.run['end']!r}")
    if "not_covered" in truth.run:
        require(truth.run["not_covered"] in traced.main.notes(),
                f"the report does not say that {truth.run['not_covered']} is not covered")
    if "dump_below" in truth.run:
        size = os.stat(traced.dumps[0]).st_blocks * 512
        require(size < int(truth.run["dump_below"]), f"the dump has {size} bytes")
    if wrong:
        raise Failed("\n  ".join([truth.name, *wrong]))


def check_children(truth, traced):
    """Checks each active child against the truth, and that there is one if the truth has one."""
    wanted = truth.numbers.get("child")
    if truth.run.get("children") == "free":
        return []
    wrong, right = [], 0
    for child in traced.children:
        found = child.own if truth.run["scope"] == "own" else child.host
        if found["allocations"] == 0 and found["frees"] == 0:
            continue
        problems = differences(wanted, found) if wanted else [f"a child did {found}"]
        wrong += [f"child {child.program['pid']} {text}" for text in problems]
        right += not problems
    if wanted and not right:
        wrong.append("no child has a dump of what it did")
    return wrong


def check_oracle(truth, arguments):
    if not os.path.exists(os.path.join(harness.BUILD, "programs", "liboracle.so")):
        skip("the oracle is not built")
    _, pairs = harness.trace_with_oracle(truth.name, **arguments)
    for found, counts in pairs:
        harness.expect_oracle(found, counts)
