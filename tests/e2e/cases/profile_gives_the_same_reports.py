"""Every report of a profile has the bytes of the report of its dump: text and JSON, of programs in
C, C++ and Python. What needs events is refused with a sentence."""
import json
import os

from checks import build, dump_of
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


# Holds most when it has let go of nearly all that it had, and for most of its time.
LATE = r"""
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static char *table[20000];
int main(void) {
    for (int i = 0; i < 20000; ++i) table[i] = malloc(40);
    for (int i = 0; i < 20000; ++i) free(table[i]);
    char *late = malloc(64 << 20);
    memset(late, 1, 64 << 20);
    usleep(400000);
    return 0;
}
"""


def timeline(file):
    ended = run([reporter(), "timeline", "--json", "-", file])
    expect(ended.status, 0, ended.stderr)
    return json.loads(ended.stdout)["timeline"]


def check_late_course():
    _, program = build(LATE)
    dump = dump_of(program)
    profile = os.path.join(folder(), "late.profile")
    expect(run([reporter(), "profile", dump, "-o", profile]).status, 0, "status of profile")
    compacted = os.path.join(folder(), "compacted.bin")
    expect(run([reporter(), "compact", dump, "-o", compacted]).status, 0, "status of compact")
    of_dump = timeline(dump)
    for file in (profile, compacted):
        of_file = timeline(file)
        require(of_file["end_ns"] >= 0.9 * of_dump["end_ns"],
                f"{file} ends at {of_file['end_ns']}, the dump at {of_dump['end_ns']}")
        last = {curve["name"]: curve["slices"][-1] for curve in of_file["curves"]}
        require(last["host"]["end"] >= 64 << 20, f"{file} ends with {last['host']}")


def test():
    check_late_course()
    pairs = []
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
        pairs.append((dump, profile))
    check_merge(pairs[-3:])


def check_merge(pairs):
    """Dumps and profiles merge to the same file, in either order, and none is counted twice."""
    sums = []
    (dump, profile), second, third = pairs
    twice = run([reporter(), "merge", dump, profile, "-o", os.path.join(folder(), "twice.profile")])
    expect(twice.status, 2, "status of a merge of a dump and its profile")
    require("would count twice" in twice.stderr, twice.stderr)
    for parts in ([dump, second[1], third[0]], [third[1], profile, second[0]]):
        path = os.path.join(folder(), "sum.profile")
        expect(run([reporter(), "merge", *parts, "-o", path]).status, 0, "status of merge")
        with open(path, "rb") as file:
            sums.append(file.read())
    require(sums[0] == sums[1], "the order of merging changes the bytes")
