"""Ranges (--from, --to) and filters (--thread, --function, --own) of reports have the figures that
a count of its own finds in the records of the dump, alone and together. Sums over sites equal
totals. Every report takes them; what makes no sense is refused with a sentence."""
import os
import re

from harness import expect, folder, report, reporter, require, run, trace

LINE = re.compile(r"^(\w+)(?: lane=(\d+))? time=(\d+)(.*)$")
FIELD = re.compile(r' (\w+)=("(?:[^"\\]|\\.)*"|\S+)')


class Dump:
    """The records of a dump, as `memtrace-report text` prints them: in the order of events."""

    def __init__(self, path):
        self.records = []
        ended = run([reporter(), "text", path])
        expect(ended.status, 0, "text")
        for line in ended.stdout.splitlines():
            name, lane, time, rest = LINE.match(line).groups()
            fields = {key: value.strip('"') for key, value in FIELD.findall(rest)}
            self.records.append((name, lane, int(time), fields))
        require(not any(name == "resize" for name, *_ in self.records), "the program resizes")
        self.threads = []      # [tid, name]
        self.by = []           # by record: the number of its thread
        lanes, tids = {}, {}   # the thread that uses each lane now, and that has each number
        for name, lane, _, fields in self.records:
            if name == "thread_start":  # also of a thread that goes on in another lane
                if fields["tid"] not in tids:
                    tids[fields["tid"]] = len(self.threads)
                    self.threads.append([fields["tid"], ""])
                lanes[lane] = tids[fields["tid"]]
            if name == "thread_name":
                number = lanes[lane] if fields["tid"] == "0" else tids[fields["tid"]]
                self.threads[number][1] = fields["text"]
            if name == "thread_end":
                tids.pop(self.threads[lanes[lane]][0])
            self.by.append(lanes.get(lane))

    def place(self, kind, text):
        """Returns the numbers of the records of a mark."""
        return [number for number, (name, _, _, fields) in enumerate(self.records)
                if name == "mark" and fields["kind"] == kind and fields["text"] == text]

    def at(self, time):
        """Returns the number of the first record at this tick or later."""
        return next(number for number, (name, _, tick, _) in enumerate(self.records)
                    if tick >= time and name not in ("process", "option", "clock"))

    def count(self, first=0, last=None, is_wanted=lambda thread: True):
        """Counts the heap in the records from `first` to before `last`."""
        last = len(self.records) if last is None else last
        live, whole, held, peak = {}, 0, 0, None
        sums = dict.fromkeys(("allocations", "allocated_bytes", "frees"), 0)
        fresh = {}  # wanted blocks that the range acquired and that are alive
        for number, (name, _, _, fields) in enumerate(self.records[:last]):
            if number == first:
                peak, sums["at_peak_bytes"] = whole, held
            if name not in ("acquire", "release"):
                continue
            address, is_inside = fields["address"], number >= first
            if name == "acquire":
                size = int(fields["size"])
                wanted = is_wanted(self.threads[self.by[number]])
                live[address] = size, wanted
                whole += size
                held += size * wanted
                if not is_inside:
                    continue
                if wanted:
                    sums["allocations"] += 1
                    sums["allocated_bytes"] += size
                    fresh[address] = size
                if whole > peak:
                    peak, sums["at_peak_bytes"] = whole, held
            else:
                size, wanted = live.pop(address)
                whole -= size
                held -= size * wanted
                fresh.pop(address, None)
                sums["frees"] += is_inside and wanted
        sums["leaked_blocks"], sums["leaked_bytes"] = len(fresh), sum(fresh.values())
        return sums


def expect_figures(dump, arguments, wanted):
    found = report(dump, "sites", arguments)
    space = found.data["spaces"]["host"]
    what = " ".join(map(str, arguments))
    expect({key: space["peak_bytes" if key == "at_peak_bytes" else key] for key in wanted}, wanted,
           what)
    for field, total in wanted.items():
        expect(sum(site[field] for site in found.sites_of("host")), total,
               f"{what}: sum over sites, {field}")
    return found


def named(pattern):
    return lambda thread: re.fullmatch(pattern, thread[1]) is not None


def begin(dump, text): return dump.place("begin", text)[0]
def end(dump, text): return dump.place("end", text)[0]


def steps_of(dump):
    """Returns the records of the steps 4 to 8, counted from 1."""
    return begin(dump, "step 3"), end(dump, "step 7")


STEPS = ["--from", "step 4", "--to", "step 8"]
CHOSEN = [*STEPS, "--thread", "loader-1"]


def check_ranges(path, dump):
    (saved,) = dump.place("mark", "saved")
    ranges = {tuple(STEPS): steps_of(dump),
              ("--from", "step:4", "--to", "step:8"): steps_of(dump),
              ("--from", "build", "--to", "build"): (begin(dump, "build"), end(dump, "build")),
              ("--from", "saved"): (saved, None),
              ("--to", "saved"): (0, saved),
              ("--from", "build", "--to", "step #"): (begin(dump, "build"), end(dump, "step 13"))}
    times = {mark["text"] + mark["kind"]: mark["time_ns"] for mark in report(path).data["marks"]}
    ticks = [dump.records[number][2] for number in steps_of(dump)]
    ranges["--from", f"{times['step 3begin']}ns", "--to",
           f"{times['step 7end']}ns"] = tuple(map(dump.at, ticks))
    for arguments, places in ranges.items():
        found = expect_figures(path, arguments, dump.count(*places))
        require("range" in found.data and "filters" not in found.data, str(arguments))
    same = report(path, "sites", ["--phase", "step 5"]).data["spaces"]
    expect(report(path, "sites", ["--from", "step 6", "--to", "step 6"]).data["spaces"], same,
           "a step is its phase")


def check_threads(path, dump):
    """Threads by name and by number, with and without a range."""
    writer = next(tid for tid, name in dump.threads if name == "writer")
    for arguments, pattern in ((["--thread", "loader-1"], "loader-1"),
                               (["--thread", "loader*"], "loader.*"),
                               (["--thread", writer], "writer"),
                               (["--thread", "loader-0", "--thread", "writer"],
                                "loader-0|writer")):
        wanted = named(pattern)
        found = expect_figures(path, arguments, dump.count(is_wanted=wanted))
        kept = found.data["filters"]["spaces"]["host"]
        expect(kept["whole"]["at_peak_bytes"], dump.count()["at_peak_bytes"], "the whole")
        expect_figures(path, [*STEPS, *arguments], dump.count(*steps_of(dump), wanted))


def check_functions(path, dump):
    """The sites of the whole report that have the function, and those of a thread."""
    whole = report(path)
    for function in ("load_batch", "write_log", "build_model"):
        sites = whole.sites_of("host", function=function)
        require(sites, f"sites of {function}")
        wanted = {field: sum(site[field] for site in sites) for field in
                  ("allocations", "allocated_bytes", "frees", "at_peak_bytes", "leaked_bytes")}
        expect_figures(path, ["--function", function], wanted)
        expect_figures(path, ["--function", function, "--own"], wanted)
    expect_figures(path, ["--function", "write_log", "--thread", "loader*"],
                   {"allocations": 0, "at_peak_bytes": 0})
    leaked = dump.count(is_wanted=named("loader.*"))["leaked_blocks"]
    own = expect_figures(path, ["--own", "--thread", "loader*", "--module", "filtered_threads"],
                         {"leaked_blocks": leaked})
    require(all(any(frame["function"] == "load_batch" for frame in site["stack"])
                for site in own.sites), "own sites of loaders")


def check_phases(path, dump):
    listed = {phase["name"]: phase for phase in report(path, "phases", CHOSEN).data["phases"]}
    expect(list(listed), ["step #"], "phases in the range")
    expect(listed["step #"]["occurrences"], 5, "occurrences in the range")
    expect(listed["step #"]["spaces"]["host"]["allocations"],
           dump.count(*steps_of(dump), named("loader-1"))["allocations"], "allocations in steps")


def check_reports(path):
    """Every report says what it is about."""
    for command in ("summary", "leaks", "peak", "sites", "tree", "phases"):
        text = run([reporter(), command, *CHOSEN, path])
        expect(text.status, 0, f"{command}: {text.stderr}")
        require("only --thread loader-1: " in text.stdout, f"{command}: {text.stdout}")
        heading = 'only of the range from step 4 to step 8 ("step 3" to "step 7"): '
        require(heading in text.stdout, text.stdout)
    for command in ("growth", "gpu", "oom", "info"):
        text = run([reporter(), command, "--thread", "loader-1", path])
        expect(text.status, 0, f"{command}: {text.stderr}")
        require("only --thread loader-1: " in text.stdout, f"{command}: {text.stdout}")
        refused = run([reporter(), command, "--from", "1ms", path])
        expect(refused.status, 2, command)
        require("leave the range out" in refused.stderr, refused.stderr)


def check_nothing(path):
    """A filter that keeps nothing is named, by every report that would be empty."""
    for command in ("summary", "leaks", "peak", "sites", "tree", "phases", "growth", "temporary",
                    "histogram", "threads", "timeline"):
        text = run([reporter(), command, "--function", "lod_batch", path])
        expect(text.status, 0, f"{command}: {text.stderr}")
        require("Nothing to show: no call site passes --function lod_batch" in text.stdout,
                f"{command}: {text.stdout}")


def check_checks(path, most):
    for limit, status in ((most, 0), (most - 1, 1)):
        ended = run([reporter(), "check", *CHOSEN, "--max-peak-bytes", str(limit), path])
        expect(ended.status, status, f"check of {limit}: {ended.stdout}")
    misspelt = ["--function", "lod_batch"]
    ended = run([reporter(), "check", *misspelt, "--max-peak-bytes", "1", path])
    expect(ended.status, 3, f"a filter that keeps nothing: {ended.stdout}")
    require("Nothing was judged: no call site passes --function lod_batch (without it: "
            in ended.stdout, ended.stdout)
    baseline = os.path.join(folder(), "baseline.json")
    ended = run([reporter(), "baseline", *misspelt, "-o", baseline, path])
    expect(ended.status, 3, "a baseline of nothing")
    require("no call site passes" in ended.stderr and not os.path.exists(baseline), ended.stderr)
    expect(run([reporter(), "baseline", *CHOSEN, "-o", baseline, path]).status, 0, "baseline")
    against = [reporter(), "check", "--baseline", baseline, path]
    expect(run([*against, *CHOSEN]).status, 0, "the same part")
    expect(run(against).status, 3, "a baseline of a part, and a check of the whole")


def check_refusals(path):
    for arguments, sentence in (
            (["--from", "stp 4"], "no phase has this name"),
            (["--from", "step 99"], "the recording has 14 steps"),
            (["--from", "step 8", "--to", "step 4"], "before it begins"),
            (["--to", "1h"], "the recording ends after"),
            (["--from", "step 0"], "steps are counted from 1"),
            (["--thread", "loder*"], "the recording has")):
        ended = run([reporter(), "sites", *arguments, path])
        expect(ended.status, 2, str(arguments))
        require(sentence in ended.stderr, ended.stderr)


def test():
    path = trace("filtered_threads").dumps[0]
    dump = Dump(path)
    names = sorted(name for _, name in dump.threads)
    expect(names[1:], ["loader-0", "loader-1", "writer"], "threads beside the first")
    check_ranges(path, dump)
    check_threads(path, dump)
    check_functions(path, dump)
    check_phases(path, dump)
    check_reports(path)
    check_nothing(path)
    check_checks(path, dump.count(*steps_of(dump), named("loader-1"))["at_peak_bytes"])
    check_refusals(path)
