"""Code without unwind data: a stack continues by a guess or is cut, and the report names the
module."""
import os

from harness import expect, function_of, reporter, require, run, trace

NAME = "code_without_unwind_data"
NOWHERE = "code made at run time"
CUT = "[stack cut: code without unwind data]"


def test():
    traced = trace(NAME)
    capture = traced.capture
    # Five blocks and a mapping.
    expect(capture["captures"], 6, "captures")
    expect(capture["captures_complete"], 4, "complete captures")
    expect(capture["cuts"], {"no_data": 2}, "cuts")
    expect(capture["cut_modules"], {"no_data": {NAME: 1, NOWHERE: 1}}, "modules of cut stacks")
    expect(capture["captures_guessed"], 2, "captures with a guessed frame")
    expect(capture["guessed_modules"], {NAME: 2}, "modules of guessed frames")
    expect(capture["frames"]["guessed"], 2, "guesses of the walker")
    require(capture["frames"]["walked"] >= 5, f"the walker's counts: {capture['frames']}")
    stacks = {site["allocated_bytes"]: site["stack"] for site in traced.sites_of("host")}
    check_stacks(stacks)
    check_text(traced.main.dump)


def check_stacks(stacks):
    for size, between in ((11, "keeps_frame_pointer"), (22, "clears_frame_pointer")):
        guessed = [function_of(frame) for frame in stacks[size] if frame.get("guessed")]
        expect(guessed, [between], "guessed frames")
        expect([function_of(frame) for frame in stacks[size]][:3],
               [f"allocate_{size}", between, "main"], "the guessed stack")
        expect(os.path.basename(stacks[size][1]["module"]), NAME, "module of the guessed frame")
    expect([frame["function"] for frame in stacks[55]],
           ["allocate_55", "hides_stack_pointer", CUT], "the stack that was cut")
    expect([frame["function"] for frame in stacks[33]][::2], ["allocate_33", CUT],
           "the stack that was cut in a copy")
    expect(stacks[33][1]["module"], "", "module of the copy")
    for size in (33, 44, 55):
        require(not any("guessed" in frame for frame in stacks[size]), f"guesses in {stacks[size]}")


def check_text(dump):
    text = run([reporter(), "info", dump]).stdout
    require("6 call stacks, 66.7 % complete (2 cut short), 2 with a guessed frame\n" in text, text)
    rows = [line.split() for line in text.split("\nCall stacks (6)\n")[1].split("\n\n")[0]
            .splitlines()]
    expect(rows[1:7], [
        "4 66.7 % complete: to the start of the program or thread".split(),
        "2 33.3 % cut: code without unwind data".split(),
        f"1 {NOWHERE}".split(),
        f"1 {NAME}".split(),
        "2 33.3 % of all: with a guessed frame, in code without unwind data".split(),
        f"2 {NAME}".split()], "rows about call stacks")
    require("2 of these: guessed, without unwind data".split() in rows,
            f"rows about frames: {rows}")
