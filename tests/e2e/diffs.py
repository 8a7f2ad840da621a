# Comparisons by memtrace-report diff, and what holds for each of them.
import json

from harness import expect, report, reporter, run


def diff(before, after, *words, status=0):
    ended = run([reporter(), "diff", before, after, *map(str, words)])
    expect(ended.status, status, f"diff {words}: {ended.stderr}")
    return ended.stdout


def diff_json(before, after, *words):
    return json.loads(diff(before, after, "--json", "-", *words))


def check_sums(data, before, after, words=()):
    """Lines and call sites add up to the totals of both recordings."""
    for side, dump in (("before", before), ("after", after)):
        spaces = report(dump, "sites", words).data["spaces"]
        for name, totals in data["spaces"].items():
            wanted = spaces.get(name, {})
            for field, key in (("at_peak_bytes", "peak_bytes"), ("held_bytes", "held_bytes"),
                               ("allocated_bytes", "allocated_bytes"),
                               ("allocations", "allocations"),
                               ("at_peak_blocks", "at_peak_blocks")):
                what = f"{name}, {field} {side} with {words}"
                expect(totals[side][field], wanted.get(key, 0), what)
                for part in ("own_lines", "sites"):
                    found = sum(row[side][field] for row in data[part]
                                if row["space"] == name and row[side])
                    expect(found, totals[side][field], f"{part} of {what}")
