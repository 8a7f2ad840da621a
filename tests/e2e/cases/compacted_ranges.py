"""Parts of the run that begin after the moment of a compaction, or at the start of the run, have
the reports of the dump as it was, to the byte: by times, steps and phases, in every report. What
needs single events from before is refused with a sentence. A dump that was compacted while it was
written knows no loops, so steps that are a loop's are left out of the comparison with it."""
# slow
import json
import os
import random
import re
import shutil

import gpu
from compacted import ask, recorded
from harness import expect, folder, reporter, require, run

LATER = ("summary", "leaks", "peak", "sites", "tree", "phases", "timeline", "temporary",
         "temporary --events 5", "histogram", "check --max-leaked-bytes 1 --top 100",
         "baseline --output -", "export --format collapsed -o -", "sites --json -",
         "phases --json -", "timeline --json -", "tree --json -", "histogram --json -")
FROM_START = ("summary", "leaks", "peak", "sites", "tree", "phases",
              "check --max-leaked-bytes 1 --top 100", "sites --json -", "phases --json -")
REPORTS_OF_A_PART = 4  # chosen by chance: each takes a moment, and there are many parts
FILTERED = ("sites --own", "phases --own", "timeline --own")
PROGRAMS = (("threads_of_python",), ("realloc_moves",), ("gpu_linked", "pools"),
            ("gpu_linked", "virtual"), ("phases_of_program",), ("ends_by_sigkill",))


def seconds(ns):
    return f"{ns / 1e9:.9f}s"


def without_loop(answer):
    """The answer of `timeline` without steps that are the iterations of a loop (name.c:9)."""
    status, text, said = answer
    text = re.sub(r'"steps": \{\s*"step": "[^"]*:\d+",[^}]*\}', '"steps": {}', text)
    text = re.sub(r'"steps": \{\s*"step": "",[^}]*\}', '"steps": {}', text)
    text = re.sub(r"(?m)^ +steps .*\n +[\d,]+ steps? of \S+:\d+\n", "", text)
    return status, text, said


def both(dump, compacted, words, what):
    """The report of the compacted dump is that of the dump."""
    wanted, found = ask(words, dump), ask(words, compacted)
    if words[0] == "timeline" and what.endswith("in its place"):
        wanted, found = without_loop(wanted), without_loop(found)
    if wanted[0] == 2:  # There is no such part, or the report is not for parts.
        expect(found[0], 2, f"status of {words} of {what}, which is wrong ({found[2]})")
        return 0
    expect(found, wanted, f"{' '.join(words)} of {what}")
    return 1


def refused(compacted, words, part):
    status, _, said = ask(words, compacted)
    expect(status, 2, f"status of {words}: {said}")
    require("was compacted, and " in said and part in said, f"{words} says {said!r}")


def parts_after(cut, duration, chance):
    begin = cut + (duration - cut) // 8
    yield ["--from", seconds(begin)]
    ends = sorted(chance.randrange(begin, duration) for _ in range(2))
    yield ["--from", seconds(ends[0]), "--to", seconds(ends[1])]


def check(dump, compacted, cut, duration, what, chance):
    same = 0
    for part in parts_after(cut, duration, chance):
        for report in chance.sample(LATER, REPORTS_OF_A_PART) + [chance.choice(FILTERED)]:
            same += both(dump, compacted, report.split() + part, what)
    for part in (["--from", "0s"], ["--to", seconds(chance.randrange(cut + 1, duration))]):
        for report in chance.sample(FROM_START, REPORTS_OF_A_PART):
            same += both(dump, compacted, report.split() + part, what)
    early = seconds(cut // 2)
    for words in (["summary", "--from", early], ["summary", "--to", early],
                  ["phases", "--from", early]):
        if cut // 2 > 0:
            refused(compacted, words, "parts that begin later are in it")
    whole = ["--to", seconds(duration - 1)]
    for report in ("timeline", "histogram", "temporary --events 3"):
        refused(compacted, report.split() + whole, "event by event")
    refused(compacted, ["threads", "--from", seconds(duration - 1)], "which thread acquired")
    return same


def check_after_work(dump, duration, program):
    """What is compacted when the work has ended still knows what was held then."""
    for in_place in (False, True):
        compacted = compact_at(dump, duration - 1000, in_place)
        for report in FROM_START if compacted is not None else ():
            both(dump, compacted, report.split() + ["--from", "0s"], f"{program} after its work")


def compact_at(dump, moment, in_place):
    path = os.path.join(folder(), "compacted.bin")
    if in_place:
        shutil.copyfile(dump, path)
        ended = run([reporter(), "compact-once", path, "0", str(moment)])
        return path if ended.status == 0 else None
    ended = run([reporter(), "compact", dump, "-o", path, "--until", seconds(moment)])
    expect(ended.status, 0, f"status of compact ({ended.stderr})")
    return path


def test():
    chance = random.Random(20261129)
    log = gpu.environment(os.path.join(folder(), "log"))
    for program, *arguments in PROGRAMS:
        env = log if program == "gpu_linked" else None
        dump = recorded(program, *arguments, env=env,
                        options="python_allocs=all" if program.endswith("python") else "")
        duration = json.loads(ask(["sites", "--json", "-"], dump)[1])["program"]["duration_ns"]
        same = 0
        for in_place in (False, True):
            cut = chance.randrange(duration // 4, duration * 3 // 4)
            compacted = compact_at(dump, cut, in_place)
            if compacted is not None:
                what = f"{program} cut at {cut}" + (" in its place" if in_place else "")
                same += check(dump, compacted, cut, duration, what, chance)
        require(same > 0, f"no part of {program} could be compared")
        if program == "threads_of_python":
            check_after_work(dump, duration, program)
        if program == "phases_of_program":
            steps_and_phases(dump, duration)


def steps_and_phases(dump, duration):
    """Every step and every phase: the part after the cut is there, the one before is refused."""
    marks = json.loads(ask(["phases", "--json", "-", "--each"], dump)[1])["phases"]
    names = [phase["name"] for phase in marks if "\n" not in phase["name"]][:5]
    asked = [["--phase", name] for name in names]
    asked += [["--from", name] for name in names] + [["--to", name] for name in names]
    asked += [["--from", f"step {n}", "--to", f"step {n + 1}"] for n in (2, 14, 20)]
    compared = gone = 0
    for part in (3, 6):
        cut = duration * part // 8
        compacted = compact_at(dump, cut, False)
        for words in asked:
            wanted, found = ask(["sites", *words], dump), ask(["sites", *words], compacted)
            if found[0] == 2 and "was compacted, and " in found[2]:
                gone += 1
                continue
            expect(found[:2], wanted[:2], f"{words} of phases_of_program cut at {cut} ({found[2]})")
            compared += wanted[0] == 0
    print(f"{compared} parts by steps and phases are the same, {gone} are refused")
    require(compared > 0 and gone > 0, "nothing is shown")
