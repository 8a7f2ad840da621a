"""For the same dump every report says the same, as text and as JSON, and it is what a second count
of `memtrace-report text` gives. The sums over call sites equal the totals of their
space, and the rows of the text's tables those of their headings."""
import re

from harness import PYTHON, expect, report, reporter, require, run, trace
from recount import Recount

SCRIPT = """
import mmap, threading
kept = [bytearray(100 + i) for i in range(500)]
maps = [mmap.mmap(-1, 4096 * (1 + i)) for i in range(8)]
def work():
    for i in range(300):
        dict.fromkeys(range(i))
threads = [threading.Thread(target=work) for _ in range(3)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
del maps[::2]
"""
# The fields of sites whose sums are totals, for each command that lists sites.
SUMS = {"allocations": "allocations", "allocated_bytes": "allocated_bytes",
        "at_peak_bytes": "peak_bytes", "leaked_blocks": "leaked_blocks",
        "leaked_bytes": "leaked_bytes", "temporary": "temporary"}
OF_COMMANDS = {"summary": SUMS, "sites": SUMS,
               "leaks": {"leaked_blocks": "leaked_blocks", "leaked_bytes": "leaked_bytes"},
               "peak": {"at_peak_bytes": "peak_bytes"}}
ROW = re.compile(r"^ +[\d.,]+ \w*B +[<>]?[\d.]+ % +([\d,]+)  (?! )", re.MULTILINE)


def number(text):
    return int(text.replace(",", ""))


def text_of(dump, command, *arguments):
    ended = run([reporter(), command, *arguments, dump])
    expect(ended.status, 0, f"memtrace-report {command}: {ended.stderr}")
    return ended.stdout


def check_sums(found, command, fields, totals):
    for space, wanted in totals.items():
        for field, total in fields.items():
            expect(sum(site[field] for site in found.sites_of(space)), wanted[total],
                   f"{command}: sum over the sites of {space}, {field}")


def check_left(dump, command, totals):
    """If a program tidies up at its end, the table has what was held before that."""
    tidied = {space: wanted for space, wanted in totals.items()
              if wanted["held_bytes"] != wanted["leaked_bytes"]}
    others = {space: wanted for space, wanted in totals.items() if space not in tidied}
    check_headings(dump, command, "Held when the work ended in", "held_bytes", "held_blocks",
                   tidied)
    check_headings(dump, command, "Still allocated at the end in", "leaked_bytes", "leaked_blocks",
                   others)


def check_headings(dump, command, heading, size, blocks, totals):
    """The sentence above a table has the totals, and the rows add up to it."""
    text = text_of(dump, command)
    for space, wanted in totals.items():
        if wanted[size] == 0:
            continue
        begin = re.search(rf"^{heading} {space}: .*?\(?([\d,]+) bytes\)? in ([\d,]+) blocks?", text,
                          re.MULTILINE)
        require(begin, f"{command} has no table \"{heading} {space}\":\n{text}")
        expect((number(begin[1]), number(begin[2])), (wanted[size], wanted[blocks]),
               f"{command}, {heading} {space}")
        rows = ROW.findall(text[begin.end():].split("\n\n")[0])
        expect(sum(map(number, rows)), wanted[blocks], f"{command}, blocks of {heading} {space}")


def check(dump):
    recount = Recount(dump)
    totals = recount.totals()
    require(totals, "there is something to count")
    for command in ("summary", "sites", "leaks", "peak", "tree", "phases", "info"):
        found = report(dump, command, ["--whole-stacks"])
        expect(found.capture["events"], recount.events, f"{command}: events")
        used = [name for name, space in found.data["spaces"].items() if space["allocations"] > 0]
        expect(sorted(used), sorted(totals), f"{command}: spaces")
        for space, wanted in totals.items():
            for field, value in wanted.items():
                expect(found.data["spaces"][space][field], value, f"{command}: {space} {field}")
        check_sums(found, command, OF_COMMANDS.get(command, {}), totals)
    for command in ("summary", "leaks"):
        check_left(dump, command, totals)
    for command in ("summary", "peak"):
        check_headings(dump, command, "Peak of", "peak_bytes", "at_peak_blocks", totals)
    return totals


def test():
    check(trace("threads_churn").dumps[0])
    check(trace("phases_of_program").dumps[0])
    require("mmap" in check(trace("every_map_function").dumps[0]), "it maps")
    require("mmap" in check(trace("map_remap").dumps[0]), "it maps")
    python = trace([PYTHON, "-c", SCRIPT], options="python_allocs=all")
    require({"host", "mmap", "python"} <= check(python.dumps[0]).keys(), "it has three spaces")
