"""The summary, leaks and peak begin with the user's own lines. The rows of a space add up to its
totals; an import is one row; memory that a library takes belongs to the line that called it. The
same holds for a profile, for a merged one, for GPU memory, and for a program without names."""
import os
import shutil
import subprocess

from gpu import GpuRun
from harness import PYTHON, built, expect, folder, report, reporter, require, run, trace

MODULE = """
import json

KEPT = []


def keep(count):
    for i in range(count):
        KEPT.append(json.dumps([i] * 1000))


def keep_bytes():
    KEPT.append(bytearray(1_000_000))
"""
SCRIPT = """
import argparse
import keeper

keeper.keep(100)
keeper.keep_bytes()
print(argparse.ArgumentParser().format_usage() != "")
"""


def write(folder_of, name, text):
    path = os.path.join(folder_of, name)
    with open(path, "w") as file:
        file.write(text)
    return path


def check_sums(found, what):
    rows = found.data["own_lines"]
    for space, totals in found.data["spaces"].items():
        of_space = [row for row in rows if row["space"] == space]
        for field, total in (("at_peak_bytes", "peak_bytes"), ("at_peak_blocks", "at_peak_blocks"),
                             ("held_bytes", "held_bytes"), ("held_blocks", "held_blocks")):
            expect(sum(row[field] for row in of_space), totals[total], f"{what}: {space} {field}")
    return rows


def rows_of(dump):
    """Returns the rows, which the three reports have in common."""
    rows = [check_sums(report(dump, command), f"{command} of {dump}")
            for command in ("summary", "leaks", "peak")]
    expect(rows[1], rows[0], "rows of leaks")
    expect(rows[2], rows[0], "rows of peak")
    return rows[0]


def first_table(dump, command="summary"):
    text = run([reporter(), command, dump]).stdout
    return text[text.index("\n  YOUR "):].split("\n\n")[0]


def check_python():
    here = folder()
    write(here, "keeper.py", MODULE)
    found = trace([PYTHON, write(here, "script.py", SCRIPT)])
    rows = rows_of(found.dumps[0])
    own = {(os.path.basename(row["file"]), row["line"], row["function"]): row
           for row in rows if row["kind"] == "own" and row["space"] == "host"}
    require(own[("keeper.py", 13, "keep_bytes")]["held_bytes"] >= 1_000_000, f"rows: {rows}")
    require(own[("keeper.py", 9, "keep")]["held_bytes"] >= 300_000, f"rows: {rows}")
    imports = {row["package"]: row["line"] for row in rows if row["kind"] == "import"}
    expect((imports["argparse"], imports["json"]), (2, 2), "lines of imports")
    require(not any("site-packages" in row["file"] or "/lib/python3" in row["file"]
                    for row in rows if row["kind"] == "own"), "a library is called own")
    table = first_table(found.dumps[0])
    require("keeper.py:13 keep_bytes" in table and "import argparse (script.py:2)" in table, table)
    profile = os.path.join(here, "a.profile")
    expect(run([reporter(), "profile", found.dumps[0], "-o", profile]).status, 0, "profile")
    expect(rows_of(profile), rows, "rows of the profile")
    merged = os.path.join(here, "merged.profile")
    twice = run([reporter(), "merge", found.dumps[0], profile, "-o", merged])
    expect(twice.status, 2, "merge of a recording and its own profile")
    require("would count twice" in twice.stderr, twice.stderr)
    again = trace([PYTHON, os.path.join(here, "script.py")]).dumps[0]
    expect(run([reporter(), "merge", profile, again, "-o", merged]).status, 0, "merge")
    keeping = [sum(row["held_bytes"] for row in parts if row["function"] == "keep_bytes")
               for parts in (rows, rows_of(again), rows_of(merged))]
    expect(keeping[2], keeping[0] + keeping[1], "rows of two recordings")


def check_native():
    program = trace("work_ends", "returns")
    rows = rows_of(program.dumps[0])
    require(any(row["function"] == "collect" and row["file"].endswith("work_ends.c")
                for row in rows if row["kind"] == "own"), f"rows: {rows}")
    require("YOUR LINES" in first_table(program.dumps[0]), "no lines")
    stripped = os.path.join(folder(), "stripped")
    shutil.copy(built("work_ends"), stripped)
    subprocess.run(["strip", stripped], check=True)
    found = trace([stripped, "returns"])
    rows = [row for row in rows_of(found.dumps[0]) if row["kind"] == "own"]
    require(rows and all(row["module"] == stripped and row["file"] == "" for row in rows),
            f"own rows of a stripped program: {rows}")
    expect(len([row for row in rows if row["function"] == ""]) <= 1, True, "rows without names")
    require("YOUR CODE" in first_table(found.dumps[0]), "no code")


def check_gpu():
    dump = GpuRun("gpu_linked", "plain", check_report=False).traced.dumps[0]
    rows = rows_of(dump)
    require(any(row["space"] == "device:0" and row["kind"] == "own" for row in rows),
            f"no own line has memory of the GPU: {rows}")


def test():
    check_python()
    check_native()
    check_gpu()
