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
    # Four blocks and a mapping.
    expect(capture["captures"], 5, "captures")
    expect(capture["captures_complete"], 3, "complete captures")
    expect(capture["cuts"], {"no_data": 2}, "cuts")
    expect(capture["cut_modules"], {"no_data": {NAME: 1, NOWHERE: 1}}, "modules of cut stacks")
    expect(capture["captures_guessed"], 1, "captures with a guessed frame")
    expect(capture["guessed_modules"], {NAME: 1}, "modules of guessed frames")
    expect(capture["frames"]["guessed"], 1, "guesses of the walker")
    require(capture["frames"]["walked"] >= 5, f"the walker's counts: {capture['frames']}")
    stacks = {site["allocated_bytes"]: site["stack"] for site in traced.sites_of("host")}
    check_stacks(stacks)
    check_text(traced.main.dump)


def check_stacks(stacks):
    guessed = [function_of(frame) for frame in stacks[11] if frame.get("guessed")]
    expect(guessed, ["keeps_frame_pointer"], "guessed frames")
    expect([function_of(frame) for frame in stacks[11]][:3],
           ["allocate_11", "keeps_frame_pointer", "main"], "the guessed stack")
    expect(os.path.basename(stacks[11][1]["module"]), NAME, "module of the guessed frame")
    expect([frame["function"] for frame in stacks[22]],
           ["allocate_22", "clears_frame_pointer", CUT], "the stack that was cut")
    expect([frame["function"] for frame in stacks[33]][::2], ["allocate_33", CUT],
           "the stack that was cut in a copy")
    expect(stacks[33][1]["module"], "", "module of the copy")
    for size in (22, 33, 44):
        require(not any("guessed" in frame for frame in stacks[size]), f"guesses in {stacks[size]}")


def check_text(dump):
    text = run([reporter(), "info", dump]).stdout
    require("5 call stacks, 60.0 % complete (2 cut short), 1 with a guessed frame\n" in text, text)
    rows = [line.split() for line in text.split("\nCall stacks (5)\n")[1].split("\n\n")[0]
            .splitlines()]
    expect(rows[1:7], [
        "3 60.0 % complete: to the start of the program or thread".split(),
        "2 40.0 % cut: code without unwind data".split(),
        f"1 {NOWHERE}".split(),
        f"1 {NAME}".split(),
        "1 20.0 % of all: with a guessed frame, in code without unwind data".split(),
        f"1 {NAME}".split()], "rows about call stacks")
    require("1 of these: guessed through rbp".split() in rows, f"rows about frames: {rows}")
