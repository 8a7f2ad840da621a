"""Every report of a profile has the bytes of the report of its dump: text and JSON, of programs in
C, C++ and Python. What needs events is refused with a sentence."""
import os

from harness import command_of, environment, expect, folder, reporter, require, run, shim

PROGRAMS = ("map_classes", "phases_of_program", "threads_of_python")
REPORTS = ("summary", "leaks", "growth", "peak", "sites", "tree", "phases", "gpu", "oom", "info",
           "check --max-leaked-bytes 1 --top 1000", "baseline --output -")


def ask(words, dump):
    ended = run([reporter(), *words, dump])
    return ended.status, ended.stdout, ended.stderr


def made_of(program):
    """Returns a dump and the profile of it."""
    dump = os.path.join(folder(), "dump.bin")
    run(command_of(program), environment([shim()], output=dump), cwd=folder())
    profile = os.path.join(folder(), "a.profile")
    ended = run([reporter(), "profile", dump, "-o", profile])
    expect(ended.status, 0, f"status of profile ({ended.stderr})")
    require(f"{profile} was written: " in ended.stdout, f"profile says {ended.stdout!r}")
    return dump, profile


def test():
    for program in PROGRAMS:
        dump, profile = made_of(program)
        for report in REPORTS:
            words = report.split()
            expect(ask(words, profile), ask(words, dump), f"{report} of {program}")
            if words[0] != "baseline":
                words += ["--json", "-", "--whole-stacks"]
                expect(ask(words, profile), ask(words, dump), f"JSON of {report} of {program}")
        for words in (["text"], ["summary", "--phase", "x"], ["phases", "--each"]):
            status, _, stderr = ask(words, profile)
            expect(status, 2, f"status of {words} of a profile")
            require("is a profile, and " in stderr, f"{words} of a profile says {stderr!r}")
        check_merge(dump, profile)


def check_merge(dump, profile):
    """Dumps and profiles merge to the same file, in either order."""
    sums = []
    for parts in ([dump, profile, profile], [profile, dump, dump]):
        path = os.path.join(folder(), "sum.profile")
        expect(run([reporter(), "merge", *parts, "-o", path]).status, 0, "status of merge")
        with open(path, "rb") as file:
            sums.append(file.read())
    require(sums[0] == sums[1], "the order of merging changes the bytes")
