"""Where a dump's pages are not safe, its newest events lie in memory of the process. A program that
ends by itself loses none of them; after a kill, the dump says that they are missing."""
from harness import expect, report, require, trace


def test():
    whole = trace("many_events", 50000, options="rings=private")
    expect(whole.host["allocations"], trace("many_events", 50000).host["allocations"],
           "allocations with rings in memory")
    require("rings=private" in whole.main.notes(), "the report does not say where the rings were")
    for end in ("ends_by_underscore_exit", "ends_by_exec", "fork_child_exits"):
        trace(end, options="rings=private")

    killed = trace("ends_by_sigkill", options="rings=private", check_report=False)
    found = report(killed.dumps[0], status=3)
    require(any("newest events" in problem["what"] for problem in found.problems),
            f"nothing says that events are missing: {found.problems}")
