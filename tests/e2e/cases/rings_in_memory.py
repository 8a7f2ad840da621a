"""Where a dump's pages are not safe, its newest events lie in memory of the process. A program that
ends by itself loses none of them; after a kill, the dump says that they are missing."""
import os
import resource

from harness import (built, environment, expect, folder, report, reporter, require, run, shim,
                     trace)


def summary_of(dump):
    return " ".join(run([reporter(), "summary", dump], env=environment([])).stdout.split())


def check_stop():
    """The recording stops at a limit on files: what lay in memory then is lost, and nobody knows
    how much that was. What came later is counted."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100 << 10, 100 << 10))
    for options in ("rings=private", "rings=auto"):
        dump = os.path.join(folder(), "dump.bin")
        ended = run([built("many_events"), "50000"], preexec_fn=limit,
                    env=environment([shim()], options=options, output=dump))
        expect(ended.status, 0, f"{options}: exit status")
        found = report(dump, status=3)
        capture, exact = found.capture, '"rings"' not in found.notes()
        expect(capture["lost_events_exact"], exact, f"{options}: lost_events_exact")
        require(capture["lost_events"] > 1000, f"{options}: {capture['lost_events']} lost")
        head = summary_of(dump)
        require(("at least" in head) == (not exact) and "LOST" in head, head)
        require("reused or unknown" not in head, head)
        if exact:
            expect(capture["events"] + capture["lost_events"], 99990, "events and lost ones")


def test():
    whole = trace("many_events", 50000, options="rings=private")
    expect(whole.host["allocations"], trace("many_events", 50000).host["allocations"],
           "allocations with rings in memory")
    require("rings=private" in whole.main.notes(), "the report does not say where the rings were")
    for end in ("ends_by_underscore_exit", "ends_by_exec", "fork_child_exits"):
        trace(end, options="rings=private")

    check_stop()

    killed = trace("ends_by_sigkill", options="rings=private", check_report=False)
    found = report(killed.dumps[0], status=3)
    require(any("newest events" in problem["what"] for problem in found.problems),
            f"nothing says that events are missing: {found.problems}")
    require("an unknown number LOST" in summary_of(killed.dumps[0]), "the head: none lost")
