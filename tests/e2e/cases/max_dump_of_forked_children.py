"""A server that forks a child for each request leaves no dump for each of them where dumps must
stay small: the first ones are recorded, and then ever fewer. The dump of the server says so."""
from harness import PYTHON, expect, require, trace

CHILDREN = 200
RECORDED = 64 + 32 + 18  # all up to 64, every second up to 128, every fourth up to 200
SERVER = f"""import os
for number in range({CHILDREN}):
    child = os.fork()
    if child == 0:
        kept = [bytearray(1000) for _ in range(10)]
        os._exit(0)
    os.waitpid(child, 0)
try:
    os.wait()
except ChildProcessError:
    print("no other child")
"""


def notes_of(report):
    return [note["text"] for note in report.data["notes"] if note["subject"] == "children"]


def check(options, dumps, notes):
    traced = trace([PYTHON, "-c", SERVER], options=options)
    expect(len(traced.dumps), dumps, f"dumps with {options}")
    reports = [traced.report_of(dump) for dump in traced.dumps]
    servers = [report for report in reports if notes_of(report)]
    expect(len(servers), notes, f"dumps that say which children are recorded, with {options}")
    for report in reports:
        expect(report.capture["lost_events"], 0, "lost events")
        expect(report.capture["anomalies"], 0, "contradictions")
    if notes:
        expect(servers[0].program["children"], CHILDREN, "children of the server")
        require("the first 64" in notes_of(servers[0])[0], f"it says: {notes_of(servers[0])}")


def test():
    check("max_dump=4M", 1 + RECORDED, 1)
    check("max_dump=4M,children=all", 1 + CHILDREN, 0)
    check("", 1 + CHILDREN, 0)
