"""A library whose program headers were moved to the end of its file, as tools do that give it
another search path. They are not mapped, and the program runs as without memtrace."""
import os
import struct
import subprocess

from checks import build, dump_of
from harness import expect, folder, report, require

LIBRARY = """#include <stdlib.h>
__attribute__((noinline)) void* keep_in_library(void) { return malloc(1234); }
"""
PROGRAM = """#include <dlfcn.h>
int main(int argc, char** argv) {
    (void)argc;
    void* library = dlopen(argv[1], RTLD_NOW);
    if (!library) return 1;
    void* (*keep)(void) = (void* (*)(void))dlsym(library, "keep_in_library");
    return keep() == 0;
}
"""


def move_headers(path):
    with open(path, "r+b") as file:
        data = file.read()
        (offset,) = struct.unpack_from("<Q", data, 0x20)
        size, count = struct.unpack_from("<HH", data, 0x36)
        headers = data[offset:offset + size * count]
        end = (len(data) + (64 << 20) + 63) // 64 * 64
        file.seek(end)
        file.write(headers)
        file.seek(0x20)
        file.write(struct.pack("<Q", end))


def test():
    root, program = build(PROGRAM, flags=["-ldl"])
    source, library = os.path.join(folder(), "library.c"), os.path.join(root, "library.so")
    with open(source, "w", encoding="utf-8") as file:
        file.write(LIBRARY)
    subprocess.run(["cc", "-g", "-O1", "-fno-builtin", "-fPIC", "-shared", source, "-o", library],
                   check=True)
    move_headers(library)
    expect(subprocess.run([program, library], check=False).returncode, 0, "without memtrace")
    ran = report(dump_of(program, library))
    kept = [site for site in ran.sites if any(frame["function"] == "keep_in_library"
                                              for frame in site["stack"])]
    require(kept and sum(site["leaked_bytes"] for site in kept) == 1234, f"{kept}")
