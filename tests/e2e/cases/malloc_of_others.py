"""A program with a malloc of its own is named in the notes. A program that only takes malloc's
address is not: where it is not position-independent, as many Pythons are, it then has an address of
its own for the function."""
import os
import shutil
import subprocess

from harness import folder, require, skip, trace

TAKES_ADDRESS = """#include <stdlib.h>
void* (*volatile take)(size_t) = malloc;
int main(void) { return take(1000) == NULL; }
"""
HAS_ITS_OWN = """#include <stdlib.h>
static char room[1 << 20];
static size_t used;
void* malloc(size_t size) {
    used += (size + 15) / 16 * 16;
    return room + used - size / 16 * 16 - 16;
}
void free(void* block) { (void)block; }
int main(void) { return malloc(100) == NULL; }
"""


def notes_of(name, source, *flags):
    compiler = shutil.which("cc")
    if compiler is None:
        skip("there is no C compiler")
    program = os.path.join(folder(), name)
    with open(program + ".c", "w", encoding="utf-8") as out:
        out.write(source)
    subprocess.run([compiler, "-O1", "-fno-builtin", "-fno-pie", "-no-pie", *flags,
                    program + ".c", "-o", program], check=True)
    return trace([program], bare=False).notes()


def test():
    notes = notes_of("takes_address", TAKES_ADDRESS)
    require("malloc is defined in" not in notes, notes)
    notes = notes_of("has_its_own", HAS_ITS_OWN, "-rdynamic")
    require("malloc is defined in" in notes and "has_its_own" in notes, notes)
