"""A program that sets a filter of system calls (seccomp) for itself ends as it does without
memtrace: the recording stops before, with its reason, and what came before is in the dump."""
from harness import expect, report, require, trace


def test():
    for how in ("prctl", "syscall", "trap", "strict", "ends", "again"):
        stops(how)
    # Other threads are in the middle of recording. Each time they are somewhere else.
    for options in ("sample_ms=0", "rings=private") * 15:
        stops("threads", options)
    # memtrace cannot look at the second filter, because the first one ends the program at that.
    require("cannot be read" in stops("unread", allocations=200000), "unread: another reason")
    # What such a filter refuses is an error number to the shim, and no end.
    traced = trace("filters_itself", "errno", check_report=False)
    require(report(traced.dumps[0], status=None).host["allocations"] >= 100000, "errno: too few")
    # A question whether the kernel has filters sets none.
    traced = trace("filters_itself", "asks", whole=True)
    require(traced.host["allocations"] >= 200000, f"asks: {traced.host['allocations']} allocations")


def stops(how, options=None, allocations=100000):
    """Returns what the program and memtrace wrote on stderr."""
    traced = trace("filters_itself", how, check_report=False, options=options)
    expect(traced.status, 7, f"{how}, {options}: exit status")
    expect(len(traced.ended.lines_of_memtrace()), 1, f"{how}: lines on stderr")
    require("seccomp" in traced.stderr, f"{how}: the reason is not said: {traced.stderr}")
    found = report(traced.dumps[0], status=3).host["allocations"]
    require(found >= allocations, f"{how}, {options}: {found} allocations before the filter")
    return traced.stderr
