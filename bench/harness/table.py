# SPDX-License-Identifier: Apache-2.0
"""Turns the results of scripts/measure/bench into a page of Markdown."""

import math

HEAD = """# Overhead

Written by `{command}`; no number here was typed. [overhead.json](overhead.json) has each run.

- date: {date}
- machine: {cpu}, {cores} cores, {memory}, Linux {kernel}, {system}
- versions: {versions}
- pairs for each tool and workload: {pairs}. A pair is one run without and one with the tool,
  directly after each other, in changing order. A ratio is the median of the pairs' ratios, with the
  smallest and the largest in parentheses.
- load of the machine when it began: {load_at_start:.2f}
"""

EXPLANATION = """
## How to read it

| column | meaning |
|---|---|
| time | until the last process had ended, helpers included, as a multiple of the bare run |
| CPU | user and system time of all processes, helpers included, likewise |
| ns an event | CPU time that the tool added for each event, in nanoseconds (median) |
| memory | the largest sum of resident memory over all processes, in a run of its own; \
pages that two processes share count twice |
| file | size of the recording |
| bytes an event | the file, divided by the number of events that memtrace saw: \
allocations, frees, resizes, mappings, and Python's small objects where a row of the table is \
about them; the same for every tool |
| report | time of the tool's own report command on its recording, output thrown away \
(median of {reports}); the second table also has its CPU time and the most memory that one of its \
processes had at a time |
| allocations | how many the tool counted in that run. heaptrack counts heap calls only; \
memray also mappings |

The tools do not record the same: memtrace keeps the time of every event, mappings and whole stacks;
heaptrack keeps neither times of single events nor mappings, and at most 64 frames of a stack;
memray also has Python frames. heaptrack resolves addresses in a second process while the program
runs, memtrace and memray do so in their reports.
"""


def ratio_text(ratios):
    if not ratios:
        return "–"
    return f"{median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})"


def median(numbers):
    ordered = sorted(numbers)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def bytes_text(count):
    if not count:  # also if the program ended before the first sample
        return "–"
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024


def count_text(count):
    return "–" if count is None else f"{count:,}"


def per_event(amount, events):
    return None if amount is None or not events else amount / events


def number_text(number, places):
    return "–" if number is None else f"{number:.{places}f}"


def reports_text(reports):
    return ", ".join(f"{name} {seconds:.2f} s" if seconds is not None else f"{name} failed"
                     for name, seconds in reports.items()) or "–"


def workload_section(workload):
    """Returns one table: the bare run, then each tool."""
    bare, events = workload["bare"], workload["events"]
    lines = [f"\n## {workload['name']}", "",
             f"{workload['about']}: `{workload['command']}`.", "",
             "| tool | time | CPU | ns an event | memory | file | bytes an event | report "
             "| allocations |",
             "|---|---|---|---|---|---|---|---|---|",
             f"| bare | {median(bare['wall']):.2f} s | {median(bare['cpu']):.2f} s | – "
             f"| {bytes_text(bare['rss'])} | – | – | – | – |"]
    for name, result in workload["tools"].items():
        if "problem" in result:
            lines.append(f"| {name} | {result['problem']} |" + " – |" * 7)
            continue
        extra = [run["cpu"] - run["bare_cpu"] for run in result["pairs"]]
        cost = per_event(median(extra) * 1e9, events)
        lines.append(
            f"| {name} | {ratio_text([run['wall'] / run['bare_wall'] for run in result['pairs']])} "
            f"| {ratio_text([run['cpu'] / run['bare_cpu'] for run in result['pairs']])} "
            f"| {number_text(cost, 0)} | {bytes_text(result['rss'])} "
            f"| {bytes_text(result['file_bytes'])} "
            f"| {number_text(per_event(result['file_bytes'], events), 2)} "
            f"| {reports_text(result['reports'])} | {count_text(result['allocations'])} |")
    return lines + reading(workload) + loop_alone(workload) + agreement(workload)


def reading(workload):
    """Returns a table of what each report command costs on its tool's recording."""
    rows = []
    for name, result in workload["tools"].items():
        for report, cost in result.get("reading", {}).items():
            figures = (f"{cost['cpu']:.2f} s | {cost['wall']:.2f} s | {bytes_text(cost['peak'])}"
                       if cost else "failed | – | –")
            rows.append(f"| {report} | {name} | {figures} |")
    return ["", "| report | recording of | CPU | time | memory |", "|---|---|---|---|---|", *rows
            ] if rows else []


def loop_alone(workload):
    """Returns the times of the loop alone, if the program prints them."""
    said = []
    for name, result in workload["tools"].items():
        ratios = [run["loop"] / run["bare_loop"] for run in result.get("pairs", [])
                  if "loop" in run]
        if ratios:
            said.append(f"{name} {ratio_text(ratios)}")
    return ["", f"The training loop alone: {', '.join(said)}. Whole runs hardly tell it from what "
            "else the machine does; [overhead-loop.md](overhead-loop.md) has it in turns."
            ] if said else []


def beside_heaptrack(workloads):
    """Returns the time that memtrace adds as a share of the time that heaptrack adds.

    There is no share if either time is lost in the noise of the machine.
    """
    lines, shares = [], {"wall": [], "cpu": []}
    for workload in workloads:
        pairs = {name: result.get("pairs") for name, result in workload["tools"].items()}
        if not pairs.get("memtrace") or not pairs.get("heaptrack"):
            continue
        row = [workload["name"]]
        for clock, found in shares.items():
            added = {name: median([run[clock] - run["bare_" + clock] for run in pairs[name]])
                     for name in ("memtrace", "heaptrack")}
            if min(added.values()) <= 0:
                row.append("–")
                continue
            found.append(added["memtrace"] / added["heaptrack"])
            row.append(f"{found[-1]:.2f}")
        lines.append(f"| {' | '.join(row)} |")
    if not all(shares.values()):
        return []
    means = [f"{math.exp(sum(map(math.log, found)) / len(found)):.2f}"
             for found in shares.values()]
    return ["\n## Beside heaptrack", "",
            "What memtrace adds to the bare run, as a share of what heaptrack adds to it; "
            "– where a run with one of them was not slower than the bare one.", "",
            "| workload | time | CPU |", "|---|---|---|", *lines,
            f"| geometric mean | {' | '.join(means)} |"]


def agreement(workload):
    """Compares the counts of memtrace and heaptrack, which are independent of each other."""
    counts = {name: result.get("allocations") for name, result in workload["tools"].items()}
    ours, theirs = counts.get("memtrace"), counts.get("heaptrack")
    if ours is None or theirs is None:
        return []
    if ours == theirs:
        return ["", f"memtrace and heaptrack counted the same number of allocations: {ours:,}."]
    share = abs(ours - theirs) / max(ours, theirs)
    return ["", f"memtrace counted {ours:,} allocations, heaptrack {theirs:,}: "
            f"{ours - theirs:+,}, or {share:.4%}, in two different runs."]


def page(results):
    versions = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    lines = [HEAD.format(**{**results, "versions": versions, **results["machine"]}).rstrip()]
    for workload in results["workloads"]:
        lines += workload_section(workload)
        if workload.get("date", results["date"])[:10] != results["date"][:10]:
            lines += ["", f"Measured on {workload['date']}."]
    lines += beside_heaptrack(results["workloads"])
    lines.append(EXPLANATION.format(reports=results["reports_timed"]).rstrip())
    return "\n".join(lines) + "\n"
