"""check: memtrace.toml of the current folder sets the limits. A mistake in it is exit code 2."""
import os
import shutil
import subprocess

from checks import build, check, contents, dump_of
from harness import expect, folder, require, skip

CONFIG = """
baseline = "memory.json"
junit = "found.xml"
[limits]
allocations = 1
leaked-bytes = "+50%"
"""


# Makes its table in a third-party parser that lies inside the project.
PARSER = """#include <stdlib.h>
void* kept;
__attribute__((noinline)) void parse(void) { kept = malloc(100000); __asm__ volatile(""); }
"""
READER = """void parse(void);
__attribute__((noinline)) void read_all(void) { parse(); __asm__ volatile(""); }
int main(void) { read_all(); return 0; }
"""


def made_with(place):
    """Returns the folder and the dump of a program whose parser lies in this folder."""
    compiler = shutil.which("cc") or skip("there is no C compiler")
    root = folder()
    os.makedirs(os.path.join(root, place))
    for name, text in ((f"{place}/parser.c", PARSER), ("reader.c", READER)):
        with open(os.path.join(root, name), "w", encoding="utf-8") as file:
            file.write(text)
    subprocess.run([compiler, "-g", "-O1", "-fno-builtin", f"{place}/parser.c", "reader.c",
                    "-o", place + ".exe"], cwd=root, check=True)
    return root, dump_of(os.path.join(root, place + ".exe"))


def own_code_is_what_it_says(place, configurations):
    root, dump = made_with(place)
    for config, blamed in configurations:
        with open(os.path.join(root, "memtrace.toml"), "w", encoding="utf-8") as file:
            file.write("markdown = \"found.md\"\n[sites]\nleaked-bytes = 0\n" + config)
        found = check(dump, cwd=root)
        expect(found.status, 1, f"a leak: {found.stdout}{found.stderr}")
        text = contents(os.path.join(root, "found.md")).replace("\\", "")
        require(f"| {blamed} |" in text, f"{config}: not {blamed}: {text}")


def test():
    library = '[code]\nlibraries = ["parsers"]\n'
    own_code_is_what_it_says("parsers", [
        ("", "parsers/parser.c:3"), (library, "reader.c:2"),
        (library + 'own = ["parsers/parser.*"]\n', "parsers/parser.c:3")])
    # Folders with this name are a library's without being told so.
    own_code_is_what_it_says("third_party", [
        ("", "reader.c:2"), ('[code]\nown = ["third_party"]\n', "third_party/parser.c:3")])
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
