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


def parts(name, page):
    """Returns what is before, within and behind the section, with the comments outside."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    before, found, rest = page.read_text().partition(begin)
    text, found_end, after = rest.partition(end)
    if not found or not found_end:
        sys.exit(f"{page} has no place for this table, which is between {begin.strip()} and "
                 f"{end.strip()}.")
    return before + begin, text, end + after


def write(name, text, page=PAGE):
    """Puts the text between `<!-- NAME -->` and `<!-- end of NAME -->` of the page."""
    before, _, after = parts(name, page)
    page.write_text(before + text + after)


def put_row(lines, row):
    """Puts a row in the place of the one that begins with the same cell, or else where its cell
    comes in the order of the first table."""
    cell = row.split("|")[1]
    cells = [line.split("|")[1] if line.startswith("| `") else "" for line in lines]
    if cell in cells:
        lines[cells.index(cell)] = row
        return
    first = next((i for i, other in enumerate(cells) if other), 0)
    lines.insert(next((i for i in range(first, len(cells)) if not cells[i] or cells[i] > cell),
                      len(cells)), row)


def write_rows(name, rows, load, page=PAGE):
    """Puts rows in their places of the tables, and says so below them."""
    before, text, after = parts(name, page)
    lines = text.splitlines()
    for row in rows:
        put_row(lines, row)
    names = [row.split("|")[1].strip().split(":")[0] for row in rows]
    again = "Measured again, by themselves: "
    lines = [line for line in lines if not line.startswith(again) or
             set(line.removeprefix(again).split(". ")[0].split(", ")) - set(names)]
    while lines and not lines[-1]:
        lines.pop()
    page.write_text(before + "\n".join([*lines, "", again + ", ".join(names) + ". " + head(load)])
                    + after)
