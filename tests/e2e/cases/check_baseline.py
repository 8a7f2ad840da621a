"""check: a baseline of several runs has a band. It is updated on request, and never by a damaged
dump or a sample. A recording that cannot be compared with the baseline never passes."""
import json
import os

from checks import baseline, build, check, contents, dump_of
from harness import PYTHON, expect, folder, require, run, reporter

# Keeps as many bytes as its argument gives, at one place.
SOURCE = """#include <stdlib.h>
void* kept;
int main(int argc, char** argv) { kept = malloc(atoi(argv[argc - 1])); return 0; }
"""
SCRIPT = """
def keep():
    return bytearray(200000)
kept = keep()
"""


def leaked(path):
    return json.loads(contents(path))["spaces"]["host"]["leaked_bytes"]


def test():
    _, program = build(SOURCE)
    runs = {size: dump_of(program, str(size)) for size in (100000, 120000, 150000)}
    base = baseline(runs[100000], runs[120000])
    expect(leaked(base), [100000, 120000], "the band")
    exact = ("--baseline", base, "--max-leaked-bytes", "+0", "--max-peak-bytes", "+0")
    expect(check(runs[120000], *exact).status, 0, "within the band")
    expect(check(runs[150000], *exact).status, 1, "beyond the band")
    expect(check(runs[150000], "--baseline", base, "--max-leaked-bytes", "+30%",
                 "--max-peak-bytes", "off").status, 0, "within the band and a little more")
    before = contents(base)
    expect(check(runs[120000], "--baseline", base, "--update-baseline").status, 0, "update")
    expect(contents(base), before, "nothing new")
    expect(check(runs[150000], "--baseline", base, "--update-baseline").status, 0, "update")
    expect(check(runs[150000], *exact).status, 0, "what it takes now")
    refuses_what_is_damaged(runs[150000], base)
    refuses_a_sample(program, base)
    refuses_what_is_not_the_same(base)


def refuses_what_is_damaged(dump, base):
    before, cut = contents(base), os.path.join(folder(), "cut.bin")
    with open(dump, "rb") as source, open(cut, "wb") as out:
        out.write(source.read()[:-5000])
    expect(check(cut, "--baseline", base).status, 3, "a damaged dump")
    expect(check(cut, "--baseline", base, "--update-baseline").status, 3, "a damaged update")
    expect(run([reporter(), "baseline", cut, "--output", base]).status, 3, "a damaged baseline")
    expect(contents(base), before, "the baseline")
    missing = check(dump, "--baseline", os.path.join(folder(), "none.json"))
    expect(missing.status, 2, "a missing baseline")
    require("--update-baseline" in missing.stderr, missing.stderr)
    newer = os.path.join(folder(), "newer.json")
    with open(newer, "w", encoding="utf-8") as file:
        file.write('{"memtrace_baseline": 2}')
    expect(check(dump, "--baseline", newer).status, 2, "a newer baseline")


def refuses_a_sample(program, base):
    sample = dump_of(program, "150000", options="sample=4K")
    before = contents(base)
    compared = check(sample, "--baseline", base)
    expect(compared.status, 3, "a sample")
    require("The space host cannot be compared" in compared.stdout, compared.stdout)
    expect(check(sample, "--baseline", base, "--update-baseline").status, 3, "an update by it")
    expect(contents(base), before, "the baseline")
    none = os.path.join(folder(), "sample.json")
    made = run([reporter(), "baseline", sample, "--output", none])
    expect(made.status, 3, "a baseline of a sample")
    require("host would be missing" in made.stderr, made.stderr)
    require(not os.path.exists(none), "a baseline without host was written")
    expect(check(sample, "--max-leaked-bytes", "10M").status, 0, "a limit in bytes")
    expect(check(sample, "--max-temporary-percent", "50%").status, 3, "what a sample does not know")
    sizes = ("--max-leaked-bytes", "10M", "--max-peak-bytes", "10M", "--max-new-site",
             "leaked-bytes=off")
    expect(check(sample, "--baseline", base, *sizes).status, 0, "nothing is compared")


def refuses_what_is_not_the_same(base):
    script = os.path.join(folder(), "keeps.py")
    with open(script, "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    on = dump_of([PYTHON, script])
    expect(check(on, "--baseline", base).status, 3, "another program")
    python = baseline(on)
    expect(check(on, "--baseline", python).status, 0, "the same Python program")
    off = check(dump_of([PYTHON, script], options="python=0"), "--baseline", python)
    expect(off.status, 3, "without functions of Python")
    require("functions of Python" in off.stdout, off.stdout)
