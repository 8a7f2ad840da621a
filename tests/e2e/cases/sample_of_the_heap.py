"""A sample of the heap estimates each function's bytes, is small, and says what it is."""
import os

from harness import expect, reporter, require, run, trace

RUNS = 12
FIGURES = (("allocated_bytes", 1), ("leaked_bytes", 2))


def truths_of(traced):
    rows = [line.split() for line in traced.stdout.splitlines()]
    return {name: (int(took), int(left)) for name, took, left in rows}


def figures_of(found, name, field):
    """Returns the sum of a function's figures over its sites."""
    return sum(site[field] for site in found.sites
               if site["space"] == "host"
               and any(frame["function"] == name for frame in site["stack"]))


def range_of(found, name, field):
    """Returns the range of the only site of a function, or nothing."""
    sites = [site for site in found.sites if site["space"] == "host"
             and any(frame["function"] == name for frame in site["stack"])]
    return sites[0]["ranges"][field] if len(sites) == 1 else None


def check_text(dump):
    text = run([reporter(), dump]).stdout
    require("host is estimated from a sample of" in text, f"the summary says nothing:\n{text}")
    rows = [line for line in text.splitlines() if line.strip().startswith("host ")]
    require(rows and "~" in rows[0], f"host's figures look exact:\n{text}")


def test():
    sums, inside, ranges = {}, 0, 0
    for number in range(RUNS):
        traced = trace("sampled_heap", options="sample=32K,children=all", bare=number == 0)
        own = [dump for dump in traced.dumps
               if traced.report_of(dump).program["end"] == "exit 0"
               and traced.report_of(dump).host["leaked_bytes"] > 0]
        require(own, f"no dump of the program among {traced.dumps}")
        found = traced.report_of(own[0])
        expect(found.capture["mode"], "sample", "mode")
        expect(found.capture["anomalies"], 0, "contradictions")
        size = os.path.getsize(own[0])
        require(size < 2_000_000, f"a sample takes {size} bytes")
        for name, truth in truths_of(traced).items():
            for field, at in FIGURES:
                estimate = figures_of(found, name, field)
                sums.setdefault((name, field), []).append((estimate, truth[at - 1]))
                known = range_of(found, name, field)
                if known is not None and estimate > 0:
                    ranges += 1
                    inside += known[0] <= truth[at - 1] <= known[1]
        if number == 0:
            check_text(own[0])
    for (name, field), pairs in sums.items():
        mean = sum(pair[0] for pair in pairs) / RUNS
        truth = pairs[0][1]
        # Five standard deviations of the mean: fails by chance once in a million figures.
        chance = 5 * (truth * 32768 / RUNS) ** 0.5
        require(abs(mean - truth) <= chance,
                f"{field} of {name}: {mean:.0f} on average, the truth is {truth}, and "
                f"{chance:.0f} is chance")
    require(inside >= 0.9 * ranges, f"only {inside} of {ranges} ranges have the truth")
    print(f"{inside} of {ranges} ranges have the truth")
