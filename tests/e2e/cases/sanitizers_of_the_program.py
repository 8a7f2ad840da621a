"""A program that is built with a sanitizer ends as it does without memtrace. Beside ThreadSanitizer
the shim stays off, and says so."""
import os
import shutil
import subprocess

from harness import environment, expect, folder, require, run, shim, skip

SOURCE = """#include <stdio.h>
#include <stdlib.h>
int main(void) {
    unsigned long sum = 0;
    for (int i = 0; i < 1000; ++i) {
        char* block = malloc(10 + i % 100);
        block[0] = (char)i;
        sum += (unsigned char)block[0];
        free(block);
    }
    printf("%lu\\n", sum);
    return 7;
}
"""
BUILDS = [("gcc", "-fsanitize=address", "-static-libasan"), ("gcc", "-fsanitize=thread"),
          ("gcc", "-fsanitize=thread", "-static-libtsan"), ("gcc", "-fsanitize=undefined"),
          ("clang", "-fsanitize=address"), ("clang", "-fsanitize=memory"),
          ("clang", "-fsanitize=thread")]


def test():
    where = folder()
    shown = 0
    for number, (compiler, *flags) in enumerate(BUILDS):
        program = os.path.join(where, f"program{number}")
        if not shutil.which(compiler):
            continue
        made = subprocess.run([compiler, "-g", *flags, "-x", "c", "-", "-o", program],
                              input=SOURCE.encode(), stderr=subprocess.DEVNULL)
        bare = run([program], environment([])) if made.returncode == 0 else None
        if bare is None or bare.status != 7:
            continue  # This machine cannot build or run it.
        dump = os.path.join(where, f"{number}.bin")
        ended = run([program], environment([shim()], output=dump))
        expect((ended.status, ended.stdout), (7, bare.stdout),
               f"{compiler} {flags}: the end ({ended.stderr})")
        is_thread = "-fsanitize=thread" in flags
        expect("built with ThreadSanitizer" in ended.stderr, is_thread, f"{flags}: what is said")
        require(os.path.exists(dump) != is_thread, f"{flags}: dump")
        shown += 1
    if shown == 0:
        skip("no compiler here builds programs with a sanitizer")
