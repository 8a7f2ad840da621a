# The phases in a dump, and the story of tests/programs/nvtx_story.h.
import os

import harness
from harness import BUILD, expect

DOUBLES = os.path.join(BUILD, "doubles", "nvtx")


class Phases:
    """The output of `memtrace-report phases` for one dump."""

    def __init__(self, dump, status=0):
        self.data = harness.report(dump, "phases", status=status).data
        self.list = self.data["phases"]

    def names(self, kind="range"):
        return [phase["name"] for phase in self.list if phase["kind"] == kind]

    def of(self, name, kind="range"):
        found = [one for one in self.list if one["name"] == name and one["kind"] == kind]
        expect(len(found), 1, f"phases of the name {name}")
        return found[0]

    def expect(self, name, occurrences=1, open=False, depth=None, **host):
        """Checks that the phase has these figures of the heap. `rise` is from begin to peak."""
        phase = self.of(name)
        figures = dict(phase["spaces"]["host"])
        figures["rise"] = figures["peak_bytes"] - figures["begin_bytes"]
        expect(phase["occurrences"], occurrences, f"occurrences of {name}")
        expect(phase["open"], open, f"open of {name}")
        if depth is not None:
            expect(phase["depth"], depth, f"depth of {name}")
        for field, wanted in host.items():
            expect(figures[field], wanted, f"{field} of {name}")


def expect_nvtx_story(phases, has_domains=True):
    phases.expect("outer", depth=0, allocations=4, frees=2, allocated_bytes=1347, rise=1340,
                  kept_blocks=2, kept_bytes=47, leaked_bytes=47)
    phases.expect("größe € \U0001f600", depth=1, allocations=2, allocated_bytes=340, kept_bytes=40,
                  leaked_bytes=40)
    phases.expect("step #", 100, allocations=101, frees=100, allocated_bytes=204961, rise=2110,
                  kept_blocks=1, kept_bytes=11, leaked_bytes=11)
    phases.expect("app: load", allocations=2, allocated_bytes=110, kept_bytes=110)
    phases.expect("ü: ä", allocations=2, allocated_bytes=130, kept_bytes=130)
    phases.expect("app: copy", allocations=1, allocated_bytes=80, kept_bytes=80, leaked_blocks=1)
    phases.expect("request #", 2)
    phases.expect("open", open=True)
    phases.expect("pushed wide", allocations=0)
    phases.expect("worker", 4)
    expect(phases.names("mark"), ["app: copy", "open", "narrow", "wide"], "marks")
    expect(phases.data["unpaired_ends"], 2, "ends of nothing")
