"""max_dump holds for each process, for Python's objects, and where threads leave no room at all."""
import os

from harness import PYTHON, expect, require, trace

LIMIT = 1 << 20
DICTS = """import os
def work(rounds):
    kept = []
    for number in range(rounds):
        values = {i: str(i) * 3 for i in range(1000)}
        if number % 20 == 0: kept.append(values)
    return kept
kept = work(200)
child = os.fork()
if child == 0:
    work(200)
    os._exit(0)
os.waitpid(child, 0)
print(len(kept))
"""
OBJECTS = 2 * 200 * 1000  # strings that each process makes at least


def check_objects(how):
    traced = trace([PYTHON, "-c", DICTS], options=f"max_dump={LIMIT},compact=0,{how}",
                   same_stderr=False)
    expect(len(traced.dumps), 2, "dumps")
    for dump in traced.dumps:
        size = os.path.getsize(dump)
        require(size <= LIMIT, f"{how}: a dump has {size} bytes, {LIMIT} are allowed")
        found = traced.report_of(dump)
        python = found.data["spaces"]["python"]
        turned = "python_allocs=all" in how
        expect(found.capture["mode"], "sample" if turned else "full", f"{how}: mode")
        expect(python["is_estimate"], True, f"{how}: objects are estimated")
        low, high = python["ranges"]["allocated_bytes"]
        # A string has 50 bytes or more.
        require(high > OBJECTS / 2 * 50, f"{how}: {low} to {high} bytes of objects")


def check_full():
    traced = trace("max_dump_threads", options=f"max_dump={LIMIT}", check_report=False)
    require(os.path.getsize(traced.dumps[0]) <= LIMIT, "the dump is larger than its limit")
    said = traced.ended.lines_of_memtrace()
    expect(len(said), 1, f"lines about a dump that is full: {said}")
    require("recording stopped: the dump is as large as max_dump allows" in said[0], said[0])
    found = traced.report_of(traced.dumps[0], status=3)
    require(found.capture["lost_events"] > 0, "no loss is counted")
    expect(found.capture["anomalies"], 0, "contradictions")


def test():
    check_objects("python_allocs=all")
    check_objects("python_allocs=all,rings=private")
    check_objects("python_allocs=sample")
    check_full()
