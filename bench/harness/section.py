# SPDX-License-Identifier: Apache-2.0
"""Writes a script's part of docs/how/unwinding.md, between two comments that name the script."""

import datetime
import os
import pathlib
import platform
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "docs/how/unwinding.md"


def plain(word):
    """Returns a word of the command without folders of this machine: "…/bin/python"."""
    return "…/" + "/".join(pathlib.Path(word).parts[-2:]) if word.startswith("/") else word


def head(load):
    """Returns the lines above a table: the command that wrote it, the date and the machine."""
    with open("/proc/cpuinfo") as file:
        cpus = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    command = " ".join(["scripts/measure/" + pathlib.Path(sys.argv[0]).name,
                        *map(plain, sys.argv[1:])])
    date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    return (f"Written by `{command}` on {date}; no number here was typed. Machine: "
            f"{cpus[0] if cpus else 'unknown'}, {os.cpu_count()} cores, Linux "
            f"{platform.release()}; load when it began: {load:.2f}.\n")


def write(name, text, page=PAGE):
    """Puts the text between `<!-- NAME -->` and `<!-- end of NAME -->` of the page."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    before, found, rest = page.read_text().partition(begin)
    _, found_end, after = rest.partition(end)
    if not found or not found_end:
        sys.exit(f"{page} has no place for this table, which is between {begin.strip()} and "
                 f"{end.strip()}.")
    page.write_text(before + begin + text + end + after)
