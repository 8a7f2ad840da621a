"""memtrace.h works however the program is built: position-independent or not, optimized by the
compiler or the linker, in C and C++, in a library that is loaded later. Without the shim, and in a
static program, it does nothing; a program that brings the functions itself gets its own."""
import os
import shutil

from harness import SOURCE, environment, expect, folder, run, shim, skip, trace
from phases import Phases

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include "memtrace/memtrace.h"

#ifdef __cplusplus
static int before_main = (MEMTRACE_MARK("before main"), 1);
#endif

int main(void) {
    char* volatile block;
    MEMTRACE_BEGIN("load");
    block = (char*)malloc(1000);
    MEMTRACE_END("load");
    MEMTRACE_MARK("loaded");
    printf("%d\\n", MEMTRACE_CHECK_LOST());
    free(block);
    return 0;
}
"""

PLAIN = "int main(void) { return 0; }\n"

OWN_FUNCTIONS = """
#include <stdio.h>
#include "memtrace/memtrace.h"
void memtrace_begin(const char* text) { printf("begin %s, ", text); }
void memtrace_end(const char* text) { printf("end %s, ", text); }
void memtrace_mark(const char* text) { printf("mark %s, ", text); }
int memtrace_check_lost(void) { return 7; }
"""

LOADER = """
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char** names) {
    void* library = dlopen(names[count - 1], RTLD_NOW);
    if (!library) return puts(dlerror());
    return ((int (*)(void))dlsym(library, "main"))();
}
"""

WAYS = [
    "-no-pie -fno-pie", "-no-pie -fno-pie -O2", "-no-pie -fno-pie -O2 -fno-plt",
    "-no-pie -fno-pie -O2 -fuse-ld=gold", "-no-pie -fPIC", "-pie -fPIE", "-pie -fPIE -O2",
    "-pie -fPIE -fno-plt -Wl,-z,now", "-no-pie -fno-pie -masm=intel",
    "-no-pie -fno-pie -O2 -flto -fuse-ld=gold", "-pie -fPIE -O2 -flto -fuse-ld=gold",
]
DIALECTS = {"c": ["-std=gnu89", "-std=c99"], "c++": ["-std=c++11", "-std=c++20"]}
WARNINGS = "-Wall -Wextra -Werror -pedantic -Wno-unused-command-line-argument".split()


class Builder:
    """Builds in a folder of its own. A way that the machine's tools cannot go is left out."""

    def __init__(self):
        self.folder = folder()
        for name, text in (("program.c", PROGRAM), ("program.cpp", PROGRAM), ("plain.c", PLAIN),
                           ("plain.cpp", PLAIN), ("own.c", OWN_FUNCTIONS),
                           ("loader.c", LOADER)):
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                file.write(text)

    def path(self, name):
        return os.path.join(self.folder, name)

    def try_build(self, compiler, way, *sources, output="program"):
        return run([compiler, *way, f"-I{SOURCE}/include", *sources, "-o", output], cwd=self.folder)

    def build(self, *command, **more):
        ended = self.try_build(*command, **more)
        expect(ended.status, 0, f"{command}\n{ended.stderr}")

    def can(self, compiler, way, source):
        return self.try_build(compiler, way, source, output="plain").status == 0


def expect_phases(command, what, marks):
    traced = trace(command, bare=False)
    phases = Phases(traced.dumps[0])
    expect(phases.names(), ["load"], f"phases, {what}")
    phases.expect("load", allocations=1, allocated_bytes=1000)
    expect(phases.names("mark"), marks, f"marks, {what}")


def test():
    builder = Builder()
    program = builder.path("program")
    bare = environment([])
    compilers = [(name, kind) for name, kind in
                 (("gcc", "c"), ("clang", "c"), ("g++", "c++"), ("clang++", "c++"))
                 if shutil.which(name)]
    if not compilers:
        skip("no gcc and no clang")
    for compiler, kind in compilers:
        suffix = kind.replace("++", "pp")
        marks = ["before main", "loaded"] if kind == "c++" else ["loaded"]
        for number, way in enumerate(WAYS):
            dialect = DIALECTS[kind][number % 2]
            options = [dialect, *WARNINGS, *way.split()]
            what = f"{compiler} {' '.join(options)}"
            if not builder.can(compiler, options, f"plain.{suffix}"):
                print(f"left out: {what}")
                continue
            builder.build(compiler, options, f"program.{suffix}")
            expect_phases([program], what, marks)
            expect(run([program], env=bare).stdout, "0\n", f"without the shim, {what}")

    compiler = next(name for name, kind in compilers if kind == "c")
    builder.build(compiler, ["-shared", "-fPIC"], "program.c", output="program.so")
    builder.build(compiler, [], "loader.c", "-ldl", output="loader")
    expect_phases([builder.path("loader"), builder.path("program.so")], "a library", ["loaded"])

    for way in (["-static"], ["-static", "-no-pie", "-fno-pie", "-O2"], ["-static-pie", "-fPIE"]):
        if builder.can(compiler, way, "plain.c"):
            builder.build(compiler, way, "program.c")
            ended = run([program], env=environment([shim()]))
            expect((ended.status, ended.stdout), (0, "0\n"), f"{way}")

    builder.build(compiler, ["-shared", "-fPIC"], "own.c", output="libown.so")
    for way in ("-no-pie -fno-pie", "-pie -fPIE", "-no-pie -fno-pie -O2 -flto -fuse-ld=gold"):
        for own in ("own.c", "./libown.so"):
            options = way.split()
            if not builder.can(compiler, options, "plain.c"):
                continue
            builder.build(compiler, [*options, "-Wl,--no-as-needed"], "program.c", own)
            ended = run([program], env=bare, cwd=builder.folder)
            expect(ended.stdout, "begin load, end load, mark loaded, 7\n", f"{way} {own}")
