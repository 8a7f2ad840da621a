"""memtrace's own pages are resident, too, and grow with what it has to remember. The course of the
resident set is that of the program alone, also of a sample of the heap."""
import json

from harness import PYTHON, expect, reporter, require, run, trace

# New functions all the time, so memtrace's tables grow; the program itself holds nothing more.
CODE = """import time
end = time.time() + 2.5
number = 0
while time.time() < end:
    number += 1
    space = {}
    exec(f"def f{number % 5000}(n):\\n    return [bytearray(9000) for _ in range(n)]", space)
    space[f"f{number % 5000}"](20)
"""


def check(options):
    traced = trace([PYTHON, "-c", CODE], options=options, bare=False)
    dump = traced.dumps[0]
    samples = traced.report_of(dump).data["samples"]
    measured = [sample for sample in samples if sample["own"] != 0]
    require(len(measured) >= 2, f"memtrace's part was measured {len(measured)} times")
    for sample in measured:
        require(1 << 20 < sample["own"] < sample["rss"], f"memtrace has {sample}")
    ended = run([reporter(), "host", "--json", "-", dump])
    expect(ended.status, 0, f"status of host ({ended.stderr})")
    trend = json.loads(ended.stdout)["host_ledger"]["trend"]
    expect(trend["not_judged"], None, "why the course is not judged")
    require(trend["own_now"] > 1 << 20, f"memtrace's pages: {trend}")
    text = run([reporter(), "host", dump]).stdout
    require("memtrace's own pages are not in it" in " ".join(text.split()), text)


def test():
    check("")
    check("sample=64K")
