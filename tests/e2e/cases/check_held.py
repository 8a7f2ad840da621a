"""check: a Python program that keeps a list until it exits passes --max-leaked-bytes, because
Python frees the list then, and fails --max-held-bytes. The same holds against a baseline, by call
site, by suppression and in all outputs. With a baseline of an older memtrace, the output says
that the metric is missing."""
import json
import os
import re

from checks import baseline, check, contents, dump_of
from harness import PYTHON, expect, folder, require

SCRIPT = """
import sys
kept = []
def remember(count):
    for _ in range(count):
        kept.append(bytearray(10000))
remember(int(sys.argv[1]))
"""
LIMIT = "9M"
# Most of the function's memory is of a line that frees it again.
TWO_LINES = """
cache = []
def handle():
    buffer = bytearray(8 << 20)
    cache.append(bytearray(100_000))
    return len(buffer)
for _ in range(20):
    handle()
"""


def blames_the_line_that_holds():
    script = os.path.join(folder(), "two_lines.py")
    with open(script, "w", encoding="utf-8") as file:
        file.write(TWO_LINES)
    dump = dump_of([PYTHON, script])
    for limit, line in (("--max-held-bytes=1M", 5), ("--max-peak-bytes=1M", 4),
                        ("--max-allocated-bytes=1M", 4)):
        out = os.path.join(folder(), "lines.json")
        found = check(dump, limit, "--github", "--json", out)
        require(re.search(rf"::error file=[^,]*two_lines.py,line={line},", found.stdout),
                f"{limit}: {found.stdout}")
        blamed = json.loads(contents(out))["checks"][0]["sites"][0]
        expect((os.path.basename(blamed["file"]), blamed["line"]), ("two_lines.py", line), limit)


def test():
    blames_the_line_that_holds()
    script = os.path.join(folder(), "keeps.py")
    with open(script, "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    small = dump_of([PYTHON, script], "100")
    large = dump_of([PYTHON, script], "2000")
    expect(check(small, "--max-held-bytes", LIMIT).status, 0, "a megabyte is held")
    expect(check(large, "--max-leaked-bytes", LIMIT).status, 0, "all of it is given back at exit")
    outputs = {name: os.path.join(folder(), "held." + name)
               for name in ("junit", "sarif", "markdown", "json")}
    found = check(large, "--max-held-bytes", LIMIT, "--github",
                  *(word for name, path in outputs.items() for word in ("--" + name, path)))
    expect(found.status, 1, f"twenty megabytes are held: {found.stdout}")
    require("FAIL  host held-bytes" in found.stdout and "remember" in found.stdout, found.stdout)
    require("::error file=" in found.stdout and "held-bytes" in found.stdout, found.stdout)
    for name, path in outputs.items():
        require("held-bytes" in contents(path) and "remember" in contents(path),
                f"{name} does not name who holds it")
    limit = json.loads(contents(outputs["json"]))["checks"][0]
    require(limit["limit"] == "held-bytes" and limit["measured"] >= 20_000_000, str(limit))

    expect(check(large, "--max-held-blocks", "100").status, 1, "two thousand blocks are held")
    expect(check(large, "--max-site", "held-bytes=9M").status, 1, "by one call site")
    suppressions = os.path.join(folder(), "held.supp")
    with open(suppressions, "w", encoding="utf-8") as file:
        file.write("leak:remember\n")
    found = check(large, "--max-held-bytes", LIMIT, "--suppressions", suppressions)
    expect(found.status, 0, f"suppressed: {found.stdout}")
    require("not counted as held: " in " ".join(found.stdout.split()), found.stdout)
    require("is it still needed" not in found.stdout, found.stdout)
    config = os.path.join(folder(), "memtrace.toml")
    with open(config, "w", encoding="utf-8") as file:
        file.write('[limits]\nheld-bytes = "9M"\n')
    expect(check(large, "--config", config).status, 1, "by the configuration")
    against_a_baseline(small, large)


def against_a_baseline(small, large):
    base = baseline(small)
    expect(check(small, "--baseline", base).status, 0, "the same again")
    found = check(large, "--baseline", base, "--max-peak-bytes", "off")
    expect(found.status, 1, f"more is held than before: {found.stdout}")
    require("FAIL  host held-bytes" in found.stdout, found.stdout)
    older = os.path.join(folder(), "older.json")
    with open(older, "w", encoding="utf-8") as file:
        file.write(re.sub(r'"held_(bytes|blocks)": (\[[^]]*\]|\d+)(, |,\n *)', "", contents(base)))
    require("held_" not in contents(older), "the older baseline is not older")
    found = check(large, "--baseline", older, "--max-peak-bytes", "off")
    expect(found.status, 0, f"an older baseline: {found.stdout}")
    require("held when the work ended is not compared" in " ".join(found.stdout.split()),
            found.stdout)
    expect(check(large, "--baseline", older, "--max-held-bytes", "+10%").status, 2,
           "a limit that was asked for, and cannot be compared")
    expect(check(small, "--baseline", older, "--update-baseline").status, 0, "update")
    expect(contents(older), contents(base), "an updated baseline")
