"""Each forked child draws a sample of its own: siblings that do the same choose other blocks."""
import json

from harness import PYTHON, expect, reporter, require, run, trace

CHILDREN, COUNT, SIZE = 8, 3_000, 1_000
CODE = f"""
import os, sys
for _ in range({CHILDREN}):
    if os.fork() == 0:
        kept = [bytes({SIZE}) for _ in range({COUNT})]
        sys.exit(0)
    os.wait()
"""


def test():
    traced = trace([PYTHON, "-c", CODE], options="sample=64K,children=all", bare=False,
                   check_report=False)
    counts = []
    for dump in traced.dumps:
        ended = run([reporter(), "sites", "--json", "-", dump])
        expect(ended.status, 0, f"status of sites ({ended.stderr})")
        found = json.loads(ended.stdout)
        if found["program"].get("forked_from"):
            counts.append(found["spaces"]["host"]["allocated_bytes"])
    expect(len(counts), CHILDREN, "dumps of children")
    require(len(set(counts)) > CHILDREN // 2, f"children have the same samples: {counts}")
