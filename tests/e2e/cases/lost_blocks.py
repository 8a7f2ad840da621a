"""A search for lost blocks tells four kinds apart, as memcheck does, to the byte: when the work
ends, when the program asks, and when another process does."""
import json
import os
import subprocess
import time

from harness import built, environment, expect, folder, report, reporter, require, run, shim, trace
from launch import launcher

LOST = {"definitely": {"blocks": 5, "bytes": 100 + 3 * 200 + 64},
        "indirectly": {"blocks": 3, "bytes": 101 + 102 + 65},
        "possibly": {"blocks": 1, "bytes": 300}}


def lost_of(dump, searches=1):
    found = report(dump, "leaks").data
    expect((found["problems"], found["capture"]["anomalies"]), ([], 0), "problems, anomalies")
    lost = found["lost"]
    expect([search["state"] for search in lost["searches"]], ["done"] * searches, "states")
    return found, lost


def check_kinds(dump, searches=1):
    found, lost = lost_of(dump, searches)
    expect({kind: lost[kind] for kind in LOST}, LOST, "lost blocks")
    for field, kind in (("lost", "definitely"), ("indirectly_lost", "indirectly"),
                        ("possibly_lost", "possibly")):
        for what in ("blocks", "bytes"):
            total = sum(site.get(f"{field}_{what}", 0) for site in found["sites"])
            expect(total, LOST[kind][what], f"sum over sites of {field}_{what}")
    host = found["spaces"]["host"]
    parts = [lost[kind]["bytes"] for kind in (*LOST, "reachable")]
    later = lost["searches"][-1]["later_bytes"]
    expect(sum(parts) + later, host["leaked_bytes"], "the sum of all kinds")
    return lost


def at_exit():
    traced = trace("lost_blocks", options="lost=exit")
    lost = check_kinds(traced.dump)
    expect(lost["searches"][0]["cause"], "work_end", "cause")
    require(lost["searches"][0]["pause_ns"] > 0, f"the pause: {lost['searches'][0]}")
    text = run([reporter(), "leaks", "--lost", traced.dump], environment([])).stdout
    require("definitely_lost" in text and "circle_is_lost" in text, text)
    require("held_everywhere" not in text, text)
    ended = run([reporter(), traced.dump], environment([]))
    require("Lost blocks: definitely 764 B in 5 blocks" in ended.stdout, ended.stdout)


def held_elsewhere():
    """Shared memory and suspended coroutines hold blocks, also if one of them calls exit()."""
    found, lost = lost_of(trace("held_elsewhere", options="lost=exit").dump)
    expect(lost["definitely"], {"blocks": 1, "bytes": 77}, "definitely lost")
    expect([lost[kind]["blocks"] for kind in ("indirectly", "possibly")], [0, 0], "lost otherwise")
    expect(lost["reachable"], {"blocks": 7, "bytes": 5000}, "still reachable")
    lines = [site["stack"][0]["function"] for site in found["sites"] if site.get("lost_blocks")]
    expect(lines, ["really_lost"], "where it was lost")


def ended_by_neither():
    """A program that calls _exit() was not searched, and no report says that nothing is lost."""
    dump = trace("ends_by_underscore_exit", options="lost=exit", bare=False).dump
    said = "No search for lost blocks was done: with lost=exit it comes when main() returns"
    for words in (["leaks", "--lost"], ["check", "--max-lost-bytes", "0"]):
        ended = run([reporter(), *words, dump], environment([]))
        text = " ".join(ended.stdout.split())
        require(said in text, f"{words}: {ended.stdout}")
        require("pass" not in text, f"{words}: {ended.stdout}")
    expect(ended.status, 3, "status of check")


def checked(dump, *words):
    """Returns the lost blocks of `check`, and the document."""
    text = run([reporter(), "check", "--max-lost-blocks", "0", *words, "--json", "-", dump],
               environment([])).stdout
    document = json.loads(text)
    (check,) = [one for one in document["checks"] if one["space"] == "host"]
    return check["measured"], document


def suppressed_by_program():
    """A program with LeakSanitizer's interface says itself what it accepts."""
    dump = trace("lsan_suppressions", options="lost=exit").dump
    profile = os.path.join(folder(), "accepted.profile")
    expect(run([reporter(), "profile", dump, "-o", profile]).status, 0, "status of profile")
    for file in (dump, profile):
        value, document = checked(file)
        expect(value, 1, f"lost, not accepted, in {file}")
        used = [one for one in document["check"]["suppressions"] if one["blocks"] != 0]
        expect([(one["name"], one["bytes"]) for one in used], [("leak:accepted_leak", 111)],
               "suppressions that were used")
        expect(document["spaces"]["host"]["allocations"], 3, "allocations, with the text's")
    subjects = [note["subject"] for note in report(dump).data["notes"]]
    expect([one for one in subjects if "suppressions" in one], [], "notes for people")


def suppressed_by_kind():
    """Valgrind's suppressions name kinds: what is only reachable may stay, what is lost may not."""
    dump = trace("lost_blocks", options="lost=exit", bare=False).dump
    path = os.path.join(folder(), "kinds.supp")

    def lost_blocks_with(kinds):
        with open(path, "w") as file:
            file.write("{\n all of main\n Memcheck:Leak\n" + kinds + " ...\n fun:main\n}\n")
        return checked(dump, "--suppressions", path)[0]
    expect(lost_blocks_with(" match-leak-kinds: reachable,possible\n"), 8, "lost, not suppressed")
    expect(lost_blocks_with(" match-leak-kinds: definite\n"), 3, "indirectly lost")
    expect(lost_blocks_with(""), 0, "lost, suppressed")


def when_off():
    traced = trace("lost_blocks")
    require("lost" not in report(traced.dump, "leaks").data, "a search without an option")


def when_the_program_asks():
    traced = trace("lost_blocks", "check", bare=False)
    lost = check_kinds(traced.dump)
    expect((traced.stdout, lost["searches"][0]["cause"]), ("1\n", "program"), "answer, cause")


def with_threads():
    """A few blocks could be held by registers of the other thread, which nobody sees."""
    traced = trace("lost_blocks", "threads", bare=False)
    expect(traced.stdout, "1\n", "the answer")
    few = [LOST[kind] for kind in LOST]
    _, lost = lost_of(traced.dump)
    expect(lost["definitely"], {"blocks": 20, "bytes": 20 * 900}, "definitely lost")
    expect(lost["indirectly"], {"blocks": 0, "bytes": 0}, "indirectly lost")
    expect(lost["possibly"], {what: sum(kind[what] for kind in few) for what in few[0]},
           "possibly lost")
    expect((lost["searches"][0]["copies"], lost["searches"][0]["other_threads"]), (2, 1),
           "copies, threads")


def left_out():
    traced = trace("lost_blocks", "ignore", options="lost=exit")
    check_kinds(traced.dump)


def in_a_forked_child():
    traced = trace("lost_blocks", "fork", options="lost=exit", bare=False)
    (child,) = [dump for dump in traced.dumps if dump != traced.dump]
    _, lost = lost_of(child)
    expect(lost["definitely"]["blocks"] + lost["indirectly"]["blocks"], 0, "lost in the child")
    require("blocks from before this recording" in lost["searches"][0]["why"], lost)


def another_process_asks():
    dump = os.path.join(folder(), "asked.bin")
    stop = os.path.join(folder(), "stop")
    process = subprocess.Popen([built("lost_blocks"), "asked", stop], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True,
                               env=environment([shim()], output=dump))
    expect(process.stdout.readline(), "ready\n", "the first line")
    for _ in range(2):
        ended = run([launcher(), "lost", str(process.pid)], environment([], {"COLUMNS": "100"}))
        expect(ended.status, 0, f"exit code ({ended.stderr})")
        require("Definitely lost: 764 B in 5 blocks" in ended.stdout, ended.stdout)
    children = os.path.join("/proc", str(process.pid), "task", str(process.pid), "children")
    time.sleep(0.5)
    with open(children) as file:
        expect(file.read(), "", "children that are left")
    open(stop, "w").close()
    expect(process.wait(timeout=60), 0, "exit code")
    process.stdout.close()
    process.stderr.close()
    check_kinds(dump, searches=2)


def test():
    at_exit()
    held_elsewhere()
    ended_by_neither()
    suppressed_by_kind()
    suppressed_by_program()
    when_off()
    when_the_program_asks()
    with_threads()
    left_out()
    in_a_forked_child()
    another_process_asks()
