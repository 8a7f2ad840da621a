"""A dump that is compacted in its place again and again, as it is while its program writes it, has
the reports of the dump as it was, to the byte. What differs is said: loops, which are found by
reading all events, and the middle of the recording, which nobody knows before its end.
"""
# slow
import json
import os
import random
import re
import shutil

import gpu
from compacted import IN_JSON, REPORTS, ask, recorded
from harness import expect, folder, reporter, require, run
from tensors import doubles

COMPACTIONS = 3
FLIPS = 100
CONTROL = 2048, 2112  # the words in the header page that programs tell each other
PROGRAMS = (("threads_of_python",), ("realloc_moves",), ("ends_by_sigkill",),
            ("gpu_linked", "pools"), ("gpu_linked", "virtual"), ("torch_blocks",),
            ("phases_of_program",))
BY_LOOPS = ("growth", "steps", "JSON of growth", "JSON of steps")


def compact_once(dump, until_ns):
    """True if something was gained."""
    ended = run([reporter(), "compact-once", dump, "0", str(until_ns)])
    require(ended.status in (0, 3), f"compact-once: {ended.status}, {ended.stderr}")
    return ended.status == 0


def comparable(text):
    """The text without the middle of the recording, and without why no loop was found."""
    text = re.sub(r'"no_steps": ".*"', '"no_steps": ""', text)
    text = re.sub(r"(?ms); no steps: .*?$(?=\n\n|\n?\Z)", "", text)
    half = r"(?ms)^  ((nothing )?grew|in the second half,) .*?memtrace-report\s+growth\n"
    text = re.sub(half, "", text)
    return re.sub(r'"half_(bytes|ns|time_ns)": (\d+|null)', '"half": 0', text)


def reports_of(dump, has_loops):
    names = [(report, report.split()) for report in REPORTS]
    names += [("JSON of " + report, [report, "--json", "-", "--whole-stacks"])
              for report in IN_JSON]
    found = {}
    for name, words in names:
        if has_loops and name in BY_LOOPS:
            continue
        status, text, errors = ask(words, dump)
        found[name] = status, comparable(text), errors
    return found


def test():
    chance = random.Random(20261128)
    log = gpu.environment(os.path.join(folder(), "log"))
    gained = 0
    for program, *arguments in PROGRAMS:
        env = {"gpu_linked": log, "torch_blocks": doubles()}.get(program)
        options = "python_allocs=all" if program.endswith("python") else ""
        dump = recorded(program, *arguments, env=env, options=options)
        gained += check(dump, program, chance)
    require(gained > 0, "no dump was worth a compaction")


def check(dump, program, chance):
    steps = json.loads(ask(["steps", "--json", "-"], dump)[1])
    has_loops = bool(steps["steps"])
    wanted = reports_of(dump, has_loops)
    duration = json.loads(wanted["JSON of sites"][1])["program"]["duration_ns"]
    path = os.path.join(folder(), "in_place.bin")
    shutil.copyfile(dump, path)
    gained = 0
    for moment in sorted(chance.randrange(duration) for _ in range(COMPACTIONS)):
        gained += compact_once(path, moment)
        found = reports_of(path, has_loops)
        for report, text in wanted.items():
            expect(found[report], text, f"{report} of {program}, compacted at {moment} ns")
    if program == "realloc_moves":
        damages(path, chance)
    return gained


def damages(path, chance):
    """A changed bit is noticed, or nothing depends on it: it is in a part that is gone."""
    with open(path, "rb") as file:
        data = bytearray(file.read())
    noticed = 0
    wanted = ask(["sites", "--json", "-"], path)
    expect(wanted[0], 0, "status of the dump as it is")
    for number in range(FLIPS):
        at = chance.randrange(*(CONTROL if number % 4 == 0 else (0, len(data))))
        bit = 1 << chance.randrange(8)
        data[at] ^= bit
        with open(path, "wb") as file:
            file.write(data)
        data[at] ^= bit
        status, text, errors = ask(["sites", "--json", "-"], path)
        require(status in (2, 3) or (status, text) == (0, wanted[1]),
                f"bit {bit} of byte {at} changes the report unnoticed: {status}, {errors}")
        noticed += status != 0
    require(noticed > FLIPS / 4, f"{noticed} of {FLIPS} changes were noticed")
