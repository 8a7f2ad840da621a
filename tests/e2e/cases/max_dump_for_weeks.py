"""What a program does again and again for weeks does not make its compacted dump larger and larger,
and what is added up for that is said and counted: threads that end, libraries that are loaded and
unloaded, code that Python executes anew, marks, phases, ranges that nobody ends, names."""
# slow
import json
import os

from harness import PYTHON, built, expect, folder, reporter, require, run, trace

THREADS, LISTED = 14_000, 10_000
# Bytes by which a compacted dump may grow for each round more. Of marks and phases a hundred
# thousand are listed, with their texts. Samples of the process come by time: a few KiB more or
# less, up to a limit, so there are enough rounds for a few KiB to be nothing.
KINDS = (("blocks", 400_000, 0.1), ("threads", 12_000, 1.5), ("threads_with_ranges", 12_000, 4),
         ("libraries", 3_000, 8), ("mappings", 20_000, 1), ("names", 20_000, 1),
         ("ranges", 20_000, 4), ("marks", 4_000, 12), ("phases", 4_000, 12))
PYTHON_KINDS = {
    "code that is executed anew": "exec('def f(n): return [bytearray(600) for _ in range(n)]\\n"
                                  "x = f(3)\\n', {})",
    "lambdas": "eval('lambda n: bytearray(1000 + n)')(number % 7)",
}


def compacted(dump):
    """Returns the path of the compacted dump, and its size."""
    small = os.path.join(folder(), "small.bin")
    ended = run([reporter(), "compact", dump, "-o", small])
    expect(ended.status, 0, f"status of compact ({ended.stderr})")
    return small, os.path.getsize(small)


def size_of(command):
    traced = trace(command, bare=False, check_report=False)
    return compacted(traced.dumps[0])[1]


def grows_by(command_of, rounds):
    """Returns the bytes by which the compacted dump grows with each round, from the first quarter
    of the rounds on."""
    small, large = size_of(command_of(rounds)), size_of(command_of(4 * rounds))
    return (large - small) / (3 * rounds)


def check_sizes():
    for kind, rounds, most in KINDS:
        found = grows_by(lambda count, kind=kind: [built("goes_on_for_weeks"), kind, str(count)],
                         rounds)
        print(f"{kind}: {found:.2f} bytes a round")
        require(found <= most, f"{kind}: {found:.2f} bytes a round, {most} are allowed")
    for name, work in PYTHON_KINDS.items():
        found = grows_by(lambda count, work=work: [
            PYTHON, "-c", f"for number in range({count}): {work}"], 1_000)
        print(f"{name}: {found:.2f} bytes a round")
        require(found <= 12, f"{name}: {found:.2f} bytes a round")


def threads_of(dump, *arguments):
    ended = run([reporter(), "info", "--json", "-", *arguments, dump])
    expect(ended.status, 0, f"status of info ({ended.stderr})")
    return json.loads(ended.stdout)


def check_threads():
    traced = trace([built("goes_on_for_weeks"), "threads", str(THREADS)], bare=False)
    dump = traced.dumps[0]
    small, _ = compacted(dump)
    for path in (dump, small):
        found = threads_of(path)
        merged = [thread for thread in found["threads"] if "ended_threads" in thread]
        expect(len(merged), 1, "rows of several threads")
        expect(merged[0]["name"], "worker-#", "their name")
        singles = len(found["threads"]) - 1
        expect(singles + merged[0]["ended_threads"], THREADS + 1, "threads")
        require(LISTED <= singles <= LISTED + 10, f"{singles} threads are listed one by one")
        notes = [note["text"] for note in found["notes"] if note["subject"] == "threads"]
        expect(len(notes), 1, "sentences about it")
        acquired = sum(thread["allocations"] for thread in found["threads"])
        expect(acquired, found["spaces"]["host"]["allocations"], "allocations of all threads")
    text = run([reporter(), "threads", "--top", "3", small]).stdout
    require(f"{THREADS + 1:,} threads" in text, f"the report threads does not count all:\n{text}")
    require("worker-#: " in text and "ended threads" in text, f"nor name them:\n{text}")
    ended = run([reporter(), "sites", "--thread", "worker-7", small])
    expect(ended.status, 2, "status of --thread with a compacted dump")
    require("compacted" in ended.stderr, ended.stderr)
    # The dump as it is has all of them, also those that a report lists by name.
    for name, count in (("worker-13999", 1), ("worker-*", THREADS)):
        ended = run([reporter(), "sites", "--json", "-", "--thread", name, dump])
        expect(ended.status, 0, f"status with --thread {name} ({ended.stderr})")
        own = [site for site in json.loads(ended.stdout)["sites"] if site["space"] == "host"
               and any(frame["function"] == "take_and_give" for frame in site["stack"])]
        expect(sum(site["allocations"] for site in own), count, f"blocks of {name}")


def test():
    check_threads()
    check_sizes()
