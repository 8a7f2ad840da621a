"""Every dump that an earlier version wrote is readable, with the same contents as then."""
import glob
import json
import os

from harness import SOURCE, expect, report, require


def test():
    dumps = sorted(glob.glob(os.path.join(SOURCE, "tests", "dumps", "*.bin")))
    require(dumps, "no dump in tests/dumps")
    for dump in dumps:
        with open(dump[:-4] + ".json") as file:
            wanted = json.load(file)
        found = report(dump).data
        name = os.path.basename(dump)
        for key in ("events", "stacks"):
            expect(found["capture"][key], wanted[key], f"{key} of {name}")
        for space, totals in wanted["spaces"].items():
            for key, value in totals.items():
                expect(found["spaces"][space][key], value, f"{key} of {space} of {name}")
