"""No name of a program makes a line that a CI system obeys, or turns the text around it."""
import os
import shutil
import subprocess

from harness import environment, expect, folder, reporter, require, run, shim, skip

SOURCE = """#include <stdlib.h>
void* kept;
void keep(void) __asm__("\\"::error::of_a_function\\"");
__attribute__((noinline)) void keep(void) { kept = malloc(1000); __asm__ volatile(""); }
int main(void) { keep(); return 0; }
"""
TURNED = "\u202eright to left"


def require_harmless(text, what):
    for line in text.splitlines():
        require(not line.strip().startswith("::"), f"{what}: {line}")
        require("##[" not in line, f"{what}: {line}")
    for sign in "\u202e\u2066\u0085\x1b\r":
        require(sign not in text, f"{what}: {sign!r}")


def test():
    compiler = shutil.which("cc") or skip("there is no C compiler")
    where = folder()
    with open(os.path.join(where, "keep.c"), "w", encoding="utf-8") as file:
        file.write(SOURCE)
    program = os.path.join(where, "keep")
    subprocess.run([compiler, "-g0", "-O1", "-fno-builtin", "keep.c", "-o", "keep"], cwd=where,
                   check=True)
    dump = os.path.join(where, "::error::of a dump")
    for name in ("::error::of a program", "  ::add-mask::x", "##[error]x", TURNED, "\n::error::x"):
        subprocess.run([name, name, TURNED], executable=program, check=True,
                       env=environment([shim()], options="quiet=1", output=dump))
        for command in ("summary", "leaks", "sites", "tree", "info", "phases", "text"):
            for arguments in ([command, dump], [command, os.path.basename(dump)]):
                ended = run([reporter(), *arguments], cwd=where)
                expect(ended.status, 0, f"{command}: {ended.stderr}")
                require_harmless(ended.stdout + ended.stderr, f"{command} of {name!r}")
        os.unlink(dump)
    for bad in (["::error::x"], ["--::error::x"], ["leaks", "\n::error::x"],
                ["check", "--config", "\n::error::x", "--max-leaked-bytes", "1"]):
        ended = run([reporter(), *bad], cwd=where)
        expect(ended.status, 2, f"{bad}: {ended.stderr}")
        require_harmless(ended.stdout + ended.stderr, f"{bad}")
