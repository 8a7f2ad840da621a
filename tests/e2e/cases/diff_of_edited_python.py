"""diff of a Python script and its next version: lines that moved are the same lines, the new leak
is new, the function that went is gone, and everything adds up to the totals of both recordings. A
recording and itself do not differ, nor do a dump and its profile."""
import os
import shutil

from diffs import check_sums, diff, diff_json
from harness import PYTHON, expect, folder, reporter, require, run, trace

FIRST = '''
import json

KEPT = []


def load(count):
    rows = [bytearray(2000) for _ in range(count)]
    return rows


def index(rows):
    return [bytes(row) for row in rows]


def old_cache():
    KEPT.append(bytearray(300_000))


class Model:
    def forward(self, x):
        hidden = bytearray(50_000)
        out = bytearray(20_000)
        return [hidden, out, x]


rows = load(200)
index(rows)
old_cache()
KEPT.append(Model().forward(rows))
print(json.dumps(len(KEPT)))
'''
# An import, a comment and a line shift the others.
SECOND = FIRST.replace("import json\n", "import json\n\n# Version 2.\n\n").replace(
    "old_cache()\n", "").replace(
    "def old_cache():\n    KEPT.append(bytearray(300_000))\n",
    "def log(count):\n    KEPT.extend(bytearray(1000) for _ in range(count))\n").replace(
    "        out = bytearray(20_000)\n",
    "        LEAK.append(bytearray(400_000))\n        out = bytearray(20_000)\n").replace(
    "KEPT = []", "KEPT = []\nLEAK = []").replace(
    "KEPT.append(Model()", "log(500)\nKEPT.append(Model()")


def recorded(version, place):
    """Records a version of the script, each in a folder of its own."""
    cwd = os.path.join(folder(), version, "src")
    os.makedirs(cwd)
    script = os.path.join(cwd, "script.py")
    with open(script, "w") as file:
        file.write(FIRST if version == "first" else SECOND)
    dump = trace([PYTHON, script], cwd=cwd).dumps[0]
    return shutil.copy(dump, os.path.join(place, version + ".bin")), script


def line_of(script, text):
    with open(script) as file:
        return next(number for number, line in enumerate(file, 1) if text in line)


def row_of(data, script, text, side="after"):
    """Returns the row of a source line of the script in the heap."""
    number = line_of(script, text)
    rows = [row for row in data["own_lines"] if row["space"] == "host" and row[side]
            and row[side].get("file") == script and row[side]["line"] == number]
    expect(len(rows), 1, f"rows of {text!r}")
    return rows[0]


def check_rows(data, first, second):
    leak = row_of(data, second, "LEAK.append")
    expect(leak["status"], "new", "the leak")
    require(leak["after"]["at_peak_bytes"] >= 400_000, f"the leak: {leak}")
    gone = row_of(data, first, "KEPT.append(bytearray(300_000))", "before")
    expect(gone["status"], "gone", "the old cache")
    for text in ("rows = [", "hidden = ", "out = "):
        row = row_of(data, second, text)
        require(row["before"], f"{text} is not new: {row}")
        expect(row["before"]["line"], line_of(first, text), f"{text} before")
    new = {row["key"].split(" ")[0] for row in data["own_lines"]
           if row["space"] == "host" and row["status"] == "new" and row["kind"] == "own"}
    require(any(name.startswith("log") for name in new), f"log() is new: {new}")
    require(new <= {"Model.forward", "log", "log.<locals>.<genexpr>", "<genexpr>"},
            f"nothing else is new: {new}")


def test():
    place = folder()
    (before, first), (after, second) = recorded("first", place), recorded("second", place)
    data = diff_json(before, after)
    check_sums(data, before, after)
    expect(data["same_program"], True, "the same program")
    expect(data["differs"], True, "differs")
    check_rows(data, first, second)
    text = diff(before, after)
    rows = text[text.index("Peak of host"):].splitlines()
    require("src/script.py" in rows[2] and "(new)" in rows[2], f"the leak comes first: {rows[2]}")
    require(any("old_cache (gone)" in row for row in rows), text)
    for words in (["--own"], ["--function", "load"], ["--python-only"]):
        check_sums(diff_json(before, after, *words), before, after, words)
    for dump in (before, after):
        same = diff(dump, dump)
        require("Nothing differs" in same and "Peak of" not in same, same)
        expect(diff_json(dump, dump)["differs"], False, "a recording and itself")
        profile = dump[:-len(".bin")] + ".profile"
        expect(run([reporter(), "profile", dump, "-o", profile]).status, 0, "profile")
        require("Nothing differs" in diff(dump, profile), "a dump and its profile")
    mixed = diff_json(before, after[:-len(".bin")] + ".profile")
    expect(mixed["spaces"], data["spaces"], "a dump and a profile")
    for words, sentence in (([], "compares two recordings"), ([before, "x.bin"], "x.bin")):
        ended = run([reporter(), "diff", *words])
        expect(ended.status, 2, f"diff {words}")
        require(sentence in ended.stderr, ended.stderr)
