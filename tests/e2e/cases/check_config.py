"""check: memtrace.toml of the folder says what to compare with; a mistake in it is exit code 2."""
import os

from checks import build, check, contents, dump_of
from harness import expect, require

CONFIG = """
baseline = "memory.json"
junit = "found.xml"
[limits]
allocations = 1
leaked-bytes = "+50%"
"""


def test():
    root, program = build()
    dump, leaky = dump_of(program), dump_of(program, "leak")
    expect(check(dump, cwd=root).status, 2, "nothing says what is too much")
    path = os.path.join(root, "memtrace.toml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(CONFIG)
    expect(check(dump, "--update-baseline", cwd=root).status, 0, "the first baseline")
    expect(check(dump, cwd=root).status, 0, "the same")
    found = check(leaky, cwd=root)
    expect(found.status, 1, "leaky")
    require("src/keeper.c:" in found.stdout, found.stdout)
    require("<failure" in contents(os.path.join(root, "found.xml")), "JUnit beside the config")
    expect(check(leaky, "--config", path).status, 1, "from elsewhere")
    with open(path, "a", encoding="utf-8") as file:
        file.write('peek-bytes = "1M"\n')
    found = check(dump, cwd=root)
    expect(found.status, 2, "an unknown key")
    require("memtrace.toml:7" in found.stderr and '"peak-bytes"' in found.stderr, found.stderr)
