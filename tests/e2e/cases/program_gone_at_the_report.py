"""A program that was deleted since the recording has no names. Its stacks are complete all the
same, because libc's start function tells who called it. The report says what it did not find."""
import os
import shutil

from harness import built, expect, folder, report, reporter, require, run, trace


def test():
    program = shutil.copy(built("free_on_other_thread"), os.path.join(folder(), "goes"))
    traced = trace([program], bare=False)
    expect(traced.own["allocations"], 0, "of programs in the build folder")
    require("all complete" in summary(traced.dumps[0]), "with the program")
    os.remove(program)
    text = summary(traced.dumps[0])
    require("all complete" in text, text)
    require("names: not found here, so shown as offsets: goes" in text, text)
    expect(report(traced.dumps[0]).host, traced.host, "the figures")


def summary(dump):
    ended = run([reporter(), dump])
    expect(ended.status, 0, ended.stderr)
    return ended.stdout
