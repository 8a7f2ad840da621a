"""diff of two runs of one program, in which another line of the same function took the memory: the
one is gone, the other new, although all figures are the same. So is a line of unchanged Python. In
edited Python a line is found by the size of its blocks."""
import os
import shutil
import subprocess

from diffs import check_sums, diff, diff_json
from harness import PYTHON, expect, folder, require, trace

PROGRAM = """#include <stdlib.h>
void* kept[100];
int main(int count, char** words) {
    for (int i = 0; i < 100; ++i)
        if (count > 1)
            kept[i] = malloc(10000);
        else
            kept[i] = malloc(10000);
    return words == NULL;
}
"""
SCRIPT = """import sys
cache = {i: None for i in range(100)}
def step(i):
    if len(sys.argv) > 1:
        cache[i] = bytearray(20_000)
    else:
        cache[i] = bytearray(20_000)
for i in range(40):
    step(i)
"""
EDITED = """import sys
# A comment.
cache = {i: None for i in range(100)}
def step(i):
    if i % 2:
        cache[i] = bytearray(20_000)
    else:
        cache[i] = bytearray(60_000)
for i in range(40):
    step(i)
"""


def rows_of(before, after, file):
    """Returns (status, line before, line after) of the rows of own lines that changed."""
    data = diff_json(before, after)
    check_sums(data, before, after)
    line = lambda side: side and side["line"]
    return sorted((row["status"], line(row["before"]), line(row["after"]))
                  for row in data["own_lines"]
                  if row["space"] == "host" and row["status"] != "same"
                  and (row["before"] or row["after"]).get("file", "").endswith(file)
                  and max((side or {}).get("allocated_bytes", 0)
                          for side in (row["before"], row["after"])) > 100_000)


def test():
    place = folder()

    def recorded(name, *words):
        return shutil.copy(trace(list(words), cwd=place).dumps[0], os.path.join(place, name))

    def written(name, text):
        path = os.path.join(place, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    source, program = written("br.c", PROGRAM), os.path.join(place, "br")
    subprocess.run(["gcc", "-g", "-O1", "-fno-builtin", "-fno-crossjumping", "-Wl,--build-id",
                    "-o", program, source], check=True)
    before, after = recorded("a.bin", program), recorded("b.bin", program, "x")
    expect(rows_of(before, after, "br.c"), [("gone", 8, None), ("new", None, 6)], "one build")
    require("Nothing differs" not in diff(before, after), "another line took the memory")

    script = written("br.py", SCRIPT)
    before, after = (recorded("c.bin", PYTHON, script),
                     recorded("d.bin", PYTHON, script, "x"))
    expect(rows_of(before, after, "br.py"), [("gone", 7, None), ("new", None, 5)], "one script")

    os.makedirs(os.path.join(place, "edited"))
    edited = written("edited/br.py", EDITED)
    after = recorded("e.bin", PYTHON, edited)
    expect(rows_of(before, after, "br.py"), [("changed", 7, 6), ("new", None, 8)], "edited")
