"""A filter of system calls (seccomp) that refuses what memtrace needs: the program ends as it does
without memtrace, the reason is said, and nothing of the dump looks damaged."""
import os

from harness import built, environment, expect, folder, reporter, require, run, shim

FSTAT, PWRITE, FSTATFS = 5, 18, 138


def inherited(number):
    """Returns what a program says that inherits the filter, and the dumps that it leaves."""
    where = folder()
    env = environment([], {"LATER": shim()}, output=os.path.join(where, "dump.bin"))
    ended = run([built("filtered_call"), str(number), built("many_events")], env=env)
    expect(ended.status, 0, f"call {number}: exit status")
    return ended.stderr, os.listdir(where)


def check_own(number, options):
    where = folder()
    dump = os.path.join(where, "dump.bin")
    ended = run([built("filtered_call"), str(number)],
                env=environment([shim()], options=options, output=dump))
    expect(ended.status, 7, f"call {number}, {options}: exit status")
    if number == PWRITE:  # Else nobody can ask what descriptor 2 is by now, and nothing is written.
        require("recording stopped" in ended.stderr, f"call {number}, {options}: {ended.stderr}")
    text = run([reporter(), "summary", dump], env=environment([])).stdout
    # With rings in memory the head of the dump cannot be written any more, so nobody knows the end.
    said = "The end was not recorded" if options else "The recording stopped"
    require(said in text, f"call {number}, {options}: {text}")
    require("no readable frame" not in text, f"call {number}, {options}: {text}")


def test():
    # Nobody can ask then what descriptor 2 is. At the start it is what the program was given.
    for number in (FSTAT, PWRITE, FSTATFS):
        said, left = inherited(number)
        if number == FSTATFS:
            continue  # The file system counts as an unknown one.
        require(" the dump " in said and "Operation not permitted" in said, f"{number}: {said}")
        expect(left, [], f"call {number}: dumps without anything in them")
    for options in ("", "rings=private"):
        check_own(PWRITE, options)
        check_own(FSTAT, options)
