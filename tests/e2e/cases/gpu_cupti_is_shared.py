"""A profiler that uses CUPTI, before or after memtrace, by the old or the new way, gets all its
callbacks, and the same results as without memtrace (the harness compares what the program
prints). The dump has every call once, and names the owner of CUPTI."""
import cupti
from harness import expect, require

HOLDER = {"old": "another profiler", "asked": "another profiler", "new": "CUPTI for the program"}


def test():
    for how, holder in HOLDER.items():
        found = cupti.CuptiRun("gpu_profiled", "plain", "before", how)
        expect(found.sources(), ["driver"], f"{how}: sources")
        found.expect_log()
        note, = found.notes_on("gpu source")
        require(f"CUPTI belongs to {holder}:" in note, note)
    for how, functions in (("old", ["cuptiSubscribe"]), ("asked", ["cuptiSubscribe"]),
                           ("new", ["cuptiSubscribe_v2"]),
                           ("activity", ["cuptiActivityRegisterCallbacks"])):
        for version in ("130001", "130300"):
            found = cupti.CuptiRun("gpu_profiled", "plain", "after", how,
                                   env={"CUPTI_DOUBLE_VERSION": version})
            expect(found.sources(), ["cupti", "driver"], f"{how}: sources")
            found.expect_told()
            expect(found.of("gpu_source")[1]["why"],
                   f"CUPTI was given to whoever called {functions[0]}().", "why")
            require("callbacks: 0" in found.traced.stdout or how == "activity",
                    found.traced.stdout)
    # A subscriber that allows others is joined.
    found = cupti.CuptiRun("gpu_profiled", "plain", "before", "new",
                           env={"CUPTI_DOUBLE_VERSION": "130300"})
    expect(found.sources(), ["cupti"], "sources in company")
    found.expect_told()
    # With the hooks as the source, the profiler is not disturbed, and nothing is switched.
    for when in ("before", "after", "never"):
        found = cupti.CuptiRun("gpu_profiled", "plain", when, "old", option="auto")
        expect(found.sources(), ["driver"], "sources")
        found.expect_log()
