"""A symbol of 200 bytes whose readable name would have gigabytes is shown as it is, and counted."""
import os
import shutil
import subprocess
import time

from harness import expect, folder, reporter, require, run, skip, trace


def base36(number):
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    text = digits[number % 36]
    while number := number // 36:
        text = digits[number % 36] + text
    return text


def reference(number):
    return "S_" if number == 0 else "S" + base36(number - 1) + "_"


def templates(levels):
    name = "_Z1f1a1bIS_S_E"
    for level in range(levels):
        name += f"S0_I{reference(level + 2) * 2}E"
    return name


def pointers(levels):
    return "_Z1g1a" + "".join(f"PFv{reference(2 * level) * 2}E" for level in range(levels))


def packs(levels):
    body = "PFv1aS_E"
    for level in range(levels):
        body = f"PFv{body}{reference(2 + 2 * level)}E"
    return "_Z1hDp" + body


def test():
    compiler = shutil.which("cc") or skip("there is no C compiler")
    where = folder()
    names = [make(levels) for make in (templates, pointers, packs) for levels in (24, 30, 60, 300)]
    source = "#include <stdlib.h>\nvoid* kept[99];\n"
    for number, name in enumerate(names):
        source += f'void keep{number}(void) __asm__("{name}");\n'
        source += (f"__attribute__((noinline)) void keep{number}(void) {{ kept[{number}] = "
                   f'malloc(10000); __asm__ volatile(""); }}\n')
    calls = "".join(f"keep{number}(); " for number in range(len(names)))
    source += f"int main(void) {{ {calls}return 0; }}\n"
    with open(os.path.join(where, "keep.c"), "w", encoding="utf-8") as file:
        file.write(source)
    subprocess.run([compiler, "-g0", "-O1", "-fno-builtin", "keep.c", "-o", "keep"], cwd=where,
                   check=True)
    dump = trace([os.path.join(where, "keep")], bare=False).dumps[0]
    begin = time.monotonic()
    ended = run([reporter(), "leaks", dump, "--json", os.path.join(where, "x.json")])
    expect(ended.status, 0, ended.stderr)
    taken = time.monotonic() - begin
    require(taken < 15, f"{taken:.1f} s")
    require("too long to be written out: shown as the linker has them" in ended.stdout,
            ended.stdout[-500:])
    require("_Z1f1a1bIS_S_E" in ended.stdout, ended.stdout[:500])
