"""`timeline`, `temporary`, `histogram` and `threads` say what a second count of every block gives:
what was held in each slice of time, how long blocks lived, and which thread acquired them, in the
whole run and in ranges of it. Filters leave the rest out; what makes no sense is refused."""
# slow
import bisect
import os
import random

from harness import PYTHON, expect, folder, report, reporter, require, run, trace
from rewatch import Rewatch

SCRIPT = """
import mmap, random, threading
random.seed(4)
kept, shared = [], []
def work(number):
    for i in range(400):
        dict.fromkeys(range(random.randrange(600)))
        shared.append(bytearray(random.randrange(1, 4000)))
        if i % 3 == 0 and shared:
            shared.pop(random.randrange(len(shared)))
        if i % 50 == 0:
            kept.append(mmap.mmap(-1, 4096 * random.randrange(1, 9)))
            kept[-1].resize(4096 * random.randrange(1, 9))
threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
del kept[::2]
"""
SLICES = 1024


def text_of(dump, *words, env=None, status=0):
    ended = run([reporter(), *map(str, words), dump], env)
    expect(ended.status, status, f"memtrace-report {words}: {ended.stderr}")
    return ended.stdout if status == 0 else ended.stderr


def by_name(entries, key="space"):
    return {entry[key]: entry for entry in entries}


# ---- timeline

def check_curve(found, space, count, begin, end):
    """Compares each slice with the changes inside it. Slices are cut at ticks."""
    width = 1
    while (end - begin) // width >= SLICES:
        width *= 2
    slices = found["slices"]
    expect(len(slices), (end - begin) // width + 1, "slices")
    times = [time for time, _ in space.changes]
    for number, piece in enumerate(slices):
        first, last = begin + number * width, min(begin + (number + 1) * width, end + 1)
        expect(piece["end_ns"], count.times.ns(min(begin + (number + 1) * width, end)), "end_ns")
        low, high = bisect.bisect_left(times, first), bisect.bisect_left(times, last)
        held = [space.changes[low - 1][1] if low else 0]
        held += [bytes for _, bytes in space.changes[low:high]]
        expect((piece["lowest"], piece["highest"], piece["end"]),
               (min(held), max(held), held[-1]), f"slice {number} of {found['name']}")


def check_timeline(dump, count):
    found = report(dump, "timeline").data["timeline"]
    curves = by_name(found["curves"], "name")
    for name, space in count.spaces.items():
        if space.allocations:
            check_curve(curves[name], space, count, 0, count.last_tick)
            expect(curves[name]["peak_bytes"], space.peak_bytes, f"peak of {name}")
    require("resident" in curves, "the resident set is a curve")
    for columns in (80, 120, 200):
        text = text_of(dump, "timeline", env={**os.environ, "COLUMNS": str(columns),
                                              "LC_ALL": "C.UTF-8"})
        widest = max(map(len, text.splitlines()))
        require(widest <= columns, f"{widest} columns of {columns}:\n{text}")
        require("▼" in text and "█" in text, text)
    env = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
    plain = text_of(dump, "timeline", env={**env, "LC_ALL": "C"})
    require(plain.isascii() and "#" in plain, plain)
    expect(max(map(len, plain.splitlines())) <= 80, True, "80 columns in a pipe")


# ---- lives

def blocks_of(count, name, begin, end):
    """Returns the blocks of a space that were acquired in a range of ticks."""
    return [block for block in count.spaces[name].blocks.values() if begin <= block.time < end]


def ended_inside(block, begin, end):
    return block.end_time is not None and block.end_time < end


def life(count, block):
    return count.times.ns(block.end_time) - count.times.ns(block.time)


def check_temporary(dump, count, words, wanted, begin, end):
    found = report(dump, "temporary", words).data["temporary"]
    for name, entry in by_name(found["spaces"]).items():
        blocks = blocks_of(count, name, begin, end)
        brief = [block for block in blocks if ended_inside(block, begin, end) and wanted(block)]
        for place, keys in ((blocks, ("allocations", "allocated_bytes")),
                            (brief, ("blocks", "bytes"))):
            expect((entry[keys[0]], entry[keys[1]]),
                   (len(place), sum(block.size for block in place)), f"{words} {name} {keys}")
        for key in ("blocks", "bytes"):
            expect(sum(line[key] for line in entry["lines"]), entry[key], f"lines of {name}, {key}")


def bin_of(bars, value):
    return next(number for number, bar in enumerate(bars) if bar["from"] <= value < bar["below"])


def check_bars(bars, values, keys, what):
    """`values`: pairs of a value and a block."""
    found = {number: [0, 0] for number in range(len(bars))}
    for value, block in values:
        place = found[bin_of(bars, value)]
        place[0] += 1
        place[1] += block.size
    for number, bar in enumerate(bars):
        expect([bar[key] for key in keys], found[number], f"{what} from {bar['from']}")
        if keys[0] == "blocks":
            require(0 < bar["most"]["blocks"] <= bar["blocks"], f"{what}: {bar}")


def check_histogram(dump, count, words, begin, end):
    found = by_name(report(dump, "histogram", words).data["histogram"])
    for name, entry in found.items():
        blocks = blocks_of(count, name, begin, end)
        gone = [block for block in blocks if ended_inside(block, begin, end)]
        alive = [block for block in blocks if not ended_inside(block, begin, end)]
        expect((entry["blocks"], entry["bytes"]), (len(blocks), sum(b.size for b in blocks)), name)
        check_bars(entry["sizes"], [(b.size, b) for b in blocks], ("blocks", "bytes"), "sizes")
        check_bars(entry["sizes"], [(b.size, b) for b in alive], ("alive_blocks", "alive_bytes"),
                   "sizes alive")
        check_bars(entry["lifetimes_events"], [(b.events, b) for b in gone], ("blocks", "bytes"),
                   "events")
        check_bars(entry["lifetimes_ns"], [(life(count, b), b) for b in gone],
                   ("blocks", "bytes"), "times")


# ---- threads

def check_threads(dump, count):
    """Threads of the second count are (tid, how many of this number had ended before)."""
    found = report(dump, "threads").data
    sums = {}
    for thread in found["thread_memory"]:
        for name, figures in thread["spaces"].items():
            for key, value in figures.items():
                if isinstance(value, int):
                    sums.setdefault(name, {}).setdefault(key, 0)
                    sums[name][key] += value
    for name, space in found["spaces"].items():
        if not space["allocations"]:
            continue
        for key in ("allocations", "frees", "allocated_bytes", "leaked_blocks", "leaked_bytes",
                    "held_blocks", "held_bytes", "temporary", "at_peak_blocks"):
            expect(sums[name][key], space[key], f"sum over threads of {name}, {key}")
        expect(sums[name]["at_peak_bytes"], space["peak_bytes"], f"peak of {name}")
    wanted = {}
    for name, space in count.spaces.items():
        for block in space.blocks.values():
            row = wanted.setdefault((block.thread[0], name), [0, 0, 0, 0])
            row[0] += 1
            row[1] += block.size
            row[2] += block.size * (block.end_time is None)
            row[3] += block.end_time is not None and block.end_thread != block.thread
    got = {}
    for thread in found["thread_memory"]:
        for name, figures in thread["spaces"].items():
            row = got.setdefault((thread["tid"], name), [0, 0, 0, 0])
            for place, key in enumerate(("allocations", "allocated_bytes", "leaked_bytes",
                                         "freed_by_others_blocks")):
                row[place] += figures[key]
    expect(got, {key: row for key, row in wanted.items()}, "threads")


def check(dump, ranges, seed):
    count = Rewatch(dump)
    end = count.last_tick + 1
    check_timeline(dump, count)
    check_threads(dump, count)
    check_temporary(dump, count, [], lambda block: block.temporary, 0, end)
    check_histogram(dump, count, [], 0, end)
    for events in (1, 2, 7, 100):
        check_temporary(dump, count, ["--events", events], lambda b: b.events <= events, 0, end)
    for time in (300, 5_000, 1_000_000):
        check_temporary(dump, count, ["--within", f"{time}ns"],
                        lambda b: life(count, b) <= time, 0, end)
    check_temporary(dump, count, ["--within", "2us", "--events", 3],
                    lambda b: life(count, b) <= 2000 or b.events <= 3, 0, end)
    random.seed(seed)
    for _ in range(ranges):
        begin, last = sorted(random.randrange(count.times.ns(count.last_tick)) for _ in range(2))
        words = ["--from", f"{begin}ns", "--to", f"{last}ns"]
        ticks = [tick_at(count, time) for time in (begin, last)]
        check_temporary(dump, count, words, lambda block: block.temporary, *ticks)
        check_temporary(dump, count, [*words, "--events", 9], lambda b: b.events <= 9, *ticks)
        check_histogram(dump, count, words, *ticks)
        spaces = report(dump, "sites", words).data["spaces"]
        threads = report(dump, "threads", words).data["thread_memory"]
        for name, space in spaces.items():
            got = sum(thread["spaces"].get(name, {}).get("at_peak_bytes", 0) for thread in threads)
            expect(got, space["peak_bytes"], f"threads at the peak of {name}, {words}")
        curves = by_name(report(dump, "timeline", words).data["timeline"]["curves"], "name")
        for name, space in spaces.items():
            if name in curves:
                expect(curves[name]["peak_bytes"], space["peak_bytes"], f"peak of {name}, {words}")


def tick_at(count, time):
    low, high = 0, 1 << 62
    while low < high:
        middle = (low + high) // 2
        if count.times.ns(middle) >= time:
            high = middle
        else:
            low = middle + 1
    return low


def check_held_of_ranges(dump):
    """What threads hold adds up to what `sites` says, which may be freed when the program ends."""
    length = report(dump, "sites").data["program"]["duration_ns"]
    for words in ([], ["--from", f"{length // 3}ns"], ["--to", f"{length // 2}ns"],
                  ["--from", f"{length // 3}ns", "--to", f"{length // 2}ns"]):
        totals = report(dump, "sites", words).data["spaces"]
        threads = report(dump, "threads", words).data["thread_memory"]
        for name, space in totals.items():
            for key in ("held_bytes", "held_blocks"):
                got = sum(thread["spaces"].get(name, {}).get(key, 0) for thread in threads)
                expect(got, space[key], f"threads {words} {name} {key}")


def check_filters(dump):
    """What a filter leaves is what `sites` has with the same filter."""
    tid = report(dump, "threads").data["thread_memory"][-1]["tid"]
    for words in (["--own"], ["--function", "work"], ["--python-only"], ["--thread", tid],
                  ["--own", "--from", "1ms"]):
        totals = report(dump, "sites", words).data["spaces"]
        for entry in report(dump, "temporary", words).data["temporary"]["spaces"]:
            wanted = totals[entry["space"]]
            expect([entry[key] for key in ("allocations", "allocated_bytes", "blocks")],
                   [wanted[key] for key in ("allocations", "allocated_bytes", "temporary")], words)
        for entry in report(dump, "histogram", words).data["histogram"]:
            expect(entry["blocks"], totals[entry["space"]]["allocations"], words)
        for curve in report(dump, "timeline", words).data["timeline"]["curves"]:
            wanted = totals[curve["name"]]
            if "--from" not in words:
                expect(curve["slices"][-1]["end"], wanted["leaked_bytes"], (words, curve["name"]))
            require(curve["peak_bytes"] >= wanted["peak_bytes"], (words, curve["name"]))
        found = {}
        for thread in report(dump, "threads", words).data["thread_memory"]:
            for name, figures in thread["spaces"].items():
                found[name] = found.get(name, 0) + figures["allocated_bytes"]
        expect(found, {name: space["allocated_bytes"] for name, space in totals.items()
                       if name in found}, f"threads {words}")


def check_refusals(dump):
    for words, sentence in (
            (["timeline", "--phase", "x"], "one axis"),
            (["timeline", "--min", "2%"], "no common whole"),
            (["histogram", "--top", "3"], "--min SIZE"),
            (["temporary", "--within", "soon"], "that is no time"),
            (["temporary", "--events", "0"], "--events"),
            (["threads", "--depth", "3"], "threads takes no option --depth (memtrace-report "
                                          "threads --help says"),
            (["threads", "--frobnicate"], "there is no option --frobnicate")):
        require(sentence in text_of(dump, *words, status=2), words)
    profile = os.path.join(folder(), "run.profile")
    text_of(dump, "profile", "-o", profile)
    require("events" in text_of(profile, "histogram", status=2), "histogram of a profile")
    require("how long" in text_of(profile, "temporary", "--events", "2", status=2), "lives")
    blocks = [[(entry["space"], entry["blocks"]) for entry in
               report(path, "temporary").data["temporary"]["spaces"]] for path in (dump, profile)]
    expect(blocks[1], blocks[0], "temporary blocks of a profile")
    require("slices" in text_of(profile, "timeline"), "timeline of a profile")
    require("not what it held" in text_of(profile, "threads"), "threads of a profile")


def test():
    check(trace("threads_churn").dumps[0], 2, 1)
    check(trace("free_on_other_thread").dumps[0], 1, 2)
    check(trace("phases_of_program").dumps[0], 2, 3)
    python = trace([PYTHON, "-c", SCRIPT], options="python_allocs=all").dumps[0]
    check(python, 3, 4)
    check_held_of_ranges(python)
    check_filters(python)
    check_refusals(python)
    for command in ("timeline", "temporary", "histogram", "threads"):
        for dump in (python,):
            text = text_of(dump, command, env={**os.environ, "COLUMNS": "80"})
            require(max(map(len, text.splitlines())) <= 100, f"{command} is wide:\n{text}")
