# Helpers for cases about `check`. They build small programs in folders of their own, trace them,
# and compare the dumps.
import os
import shutil
import subprocess

import harness
from harness import expect, folder, reporter, run, skip, trace

# Keeps 100,000 bytes. With an argument it keeps 300,000 more, in another function.
KEEPER = """#include <stdlib.h>
void* kept[2];
__attribute__((noinline)) void keep_table(void) { kept[0] = malloc(100000); }
__attribute__((noinline)) void keep_more(void) { kept[1] = malloc(300000); }
int main(int argc, char** argv) {
    (void)argv;
    keep_table();
    if (argc > 1) keep_more();
    return kept[0] == NULL;
}
"""
LEAKING_LINE = 1 + KEEPER.splitlines().index(
    "__attribute__((noinline)) void keep_more(void) { kept[1] = malloc(300000); }")


def build(source=KEEPER, place="src", flags=()):
    """Compiles FOLDER/PLACE/keeper.c into FOLDER/keeper. Returns FOLDER and the program."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        skip("there is no C compiler")
    root = folder()
    os.makedirs(os.path.join(root, place))
    file = os.path.join(root, place, "keeper.c")
    with open(file, "w", encoding="utf-8") as out:
        out.write(source)
    program = os.path.join(root, "keeper")
    subprocess.run([compiler, "-g", "-O1", "-fno-builtin", *flags, file, "-o", program], check=True)
    return root, program


def dump_of(program, *arguments, **more):
    """Traces a program and returns the path of its dump."""
    command = program if isinstance(program, list) else [program]
    return trace([*command, *arguments], bare=False, **more).dumps[0]


def check(dump, *options, cwd=None, env=None):
    environment = harness.environment([])
    environment.pop("GITHUB_STEP_SUMMARY", None)
    environment.update(env or {})
    return run([reporter(), "check", dump, *map(str, options)], environment, cwd=cwd or folder())


def baseline(*dumps, output=None, options=()):
    """Writes a baseline of these dumps and returns the path of the file."""
    path = output or os.path.join(folder(), "base.json")
    ended = run([reporter(), "baseline", *dumps, "--output", path, *options], cwd=folder())
    expect(ended.status, 0, f"memtrace-report baseline: {ended.stderr}")
    return path


class Growth:
    """What `growth` says of a dump, as JSON and as text."""

    def __init__(self, dump):
        self.data = harness.report(dump, "growth").data["growth"]
        self.text = run([reporter(), "growth", dump]).stdout

    def findings(self, *verdicts):
        return [one for one in self.data["findings"] if one["verdict"] in verdicts]


def growth_of_native(name, source):
    """Records a C program. Returns what `growth` says."""
    _, program = build(source, place=name)
    return Growth(dump_of(program))


def growth_of_python(name, source, python=harness.PYTHON):
    return Growth(dump_of(python, written(name + ".py", source)))


def written(name, text):
    """Returns the path of a new file in the folder of the case."""
    path = os.path.join(folder(), name)
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    return path


def line_of(source, text):
    """Returns the number of the only line with this text."""
    (number,) = [i for i, line in enumerate(source.splitlines(), 1) if text in line]
    return number


def contents(path):
    with open(path, encoding="utf-8") as file:
        return file.read()
