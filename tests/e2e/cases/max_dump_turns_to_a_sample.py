"""max_dump: the dump stays within its limit, exact at first and then estimated, and says so."""
import os
import random
import signal
import subprocess
import time

from harness import (SLOW, built, environment, expect, folder, report, reporter, require, run, shim)

ROUNDS = 300_000
RUNS = 6
LIMIT = 1 << 20
KILLS = 8
FIGURES = (("allocated_bytes", 0), ("leaked_bytes", 1))


def start(rounds, options, dump):
    return subprocess.Popen([built("max_dump_heap"), str(rounds)], start_new_session=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env=environment([shim()], options="compact=0," + options, output=dump))


def watch(process, dump, seconds):
    """Looks at the size of the dump until the process or the time ends."""
    deadline = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < deadline:
        if os.path.exists(dump):
            size = os.path.getsize(dump)
            require(size <= LIMIT, f"the dump has {size} bytes, {LIMIT} are allowed")
        time.sleep(0.002)


def record(options):
    dump = os.path.join(folder(), "dump.bin")
    process = start(ROUNDS, options, dump)
    watch(process, dump, 60 * SLOW)
    out, err = process.communicate(timeout=60 * SLOW)
    expect(process.returncode, 0, f"exit status ({err.decode()})")
    rows = [line.split() for line in out.decode().splitlines()]
    return dump, {name: (int(took), int(left)) for name, took, left in rows}


def sites_of(found, name):
    return [site for site in found.sites if site["space"] == "host"
            and any(frame["function"] == name for frame in site["stack"])]


def check_what_it_says(found, dump):
    capture = found.capture
    expect(capture["mode"], "sample", "mode")
    expect(capture["anomalies"], 0, "contradictions")
    expect(capture["lost_events"], 0, "lost events")
    turned = capture["sampled_from_ns"]
    require(0 < turned < found.program["duration_ns"], f"it turned to a sample at {turned} ns")
    text = run([reporter(), dump]).stdout
    require("host is exact until" in text, f"the summary says nothing:\n{text}")
    return turned


def check_before(found, truths, dump, turned):
    """Blocks of the beginning are exact, also those that were given back after the turn."""
    took, left = truths["take_old"]
    old = sites_of(found, "take_old")
    expect(sum(site["allocated_bytes"] for site in old), took, "bytes of the beginning")
    expect(sum(site["leaked_bytes"] for site in old), left, "bytes of the beginning that are left")
    before = report(dump, arguments=["--to", f"{turned}ns"])
    expect(before.capture["mode"], "full", "mode of the part before the turn")
    total = before.data["spaces"]["host"]
    require("is_estimate" not in total, "the part before the turn is an estimate")
    expect(sum(site["allocated_bytes"] for site in sites_of(before, "take_old")), took,
           "bytes of the beginning, in the part before the turn")
    require(0 < total["frees"] < total["allocations"], "there is nothing before the turn")


def test():
    sums, inside, ranges = {}, 0, 0
    for number in range(RUNS):
        options = f"max_dump={LIMIT}" + (",rings=private" if number % 2 else "")
        dump, truths = record(options)
        found = report(dump)
        turned = check_what_it_says(found, dump)
        if number == 0:
            check_before(found, truths, dump, turned)
        interval = found.data["spaces"]["host"]["sample_interval"]
        for name, truth in truths.items():
            sites = sites_of(found, name)
            for field, at in FIGURES:
                estimate = sum(site[field] for site in sites)
                sums.setdefault((name, field), []).append((estimate, truth[at], interval))
                if len(sites) == 1 and estimate > 0:
                    ranges += 1
                    low, high = sites[0]["ranges"][field]
                    inside += low <= truth[at] <= high
    for (name, field), rows in sums.items():
        mean = sum(row[0] for row in rows) / RUNS
        truth = rows[0][1]
        # Five standard deviations of the mean: fails by chance once in a million figures.
        chance = 5 * (sum(truth * row[2] for row in rows) ** 0.5) / RUNS
        require(abs(mean - truth) <= chance,
                f"{field} of {name}: {mean:.0f} on average, the truth is {truth}, and "
                f"{chance:.0f} is chance")
    require(inside >= 0.8 * ranges, f"only {inside} of {ranges} ranges have the truth")
    print(f"{inside} of {ranges} ranges have the truth")
    kill_at_random()
    refuse_too_little()


def kill_at_random():
    """A killed program's dump is readable, and contradicts nothing."""
    chance = random.Random(5)
    turned = 0
    for number in range(KILLS):
        dump = os.path.join(folder(), "dump.bin")
        private = number % 2 == 1
        process = start(ROUNDS * 100, f"max_dump={LIMIT}" + (",rings=private" if private else ""),
                        dump)
        wait_until_half_full(process, dump)
        watch(process, dump, chance.random() ** 2)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        found = report(dump, status=None)
        # With private rings, a kill takes the newest events of each thread, and the report says so.
        expect(found.data["damaged"], private, f"damage after kill {number}")
        if not private:
            expect(found.capture["anomalies"], 0, f"contradictions after kill {number}")
        turned += found.capture["mode"] == "sample"
    require(turned > KILLS / 4, f"only {turned} of {KILLS} had turned to a sample")


def wait_until_half_full(process, dump):
    deadline = time.monotonic() + 20 * SLOW
    while process.poll() is None and time.monotonic() < deadline:
        if os.path.exists(dump) and os.path.getsize(dump) > LIMIT / 2:
            return
        watch(process, dump, 0.005)


def refuse_too_little():
    ended = run([built("max_dump_heap"), "10"],
                env=environment([shim()], options="max_dump=10K",
                                output=os.path.join(folder(), "dump.bin")))
    expect(ended.status, 0, "exit status")
    require("'max_dump=10K' is not a value for max_dump (0, or 1048576 to " in ended.stderr,
            f"a limit that is too low: {ended.stderr}")
