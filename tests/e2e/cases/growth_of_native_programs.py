"""Native programs whose growth is easily judged wrongly: each is what it is, for its reason."""
import os
import subprocess

from checks import Growth, build, dump_of, line_of
from harness import expect, folder, require

HEAD = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static void rest(long ns) { const struct timespec t = {0, ns}; nanosleep(&t, NULL); }
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}
static void compute(double seconds) {
    volatile double x = 0;
    for (const double end = now() + seconds; now() < end;) x += 1;
}
static char* volatile kept;
"""
MAIN = HEAD + "int main(int argc, char** argv) {\n    (void)argc; (void)argv;\n"

# Five buffers at a time are cut to 32 bytes and forgotten. Holes behind them are too small.
STUBS = HEAD + r"""
__attribute__((noinline)) static void parse(void) {
    char* b[5];
    for (int k = 0; k < 5; ++k) { b[k] = malloc(90000); memset(b[k], 1, 90000); }
    for (int k = 0; k < 5; ++k) b[k] = realloc(b[k], 32);
}
int main(void) {
    for (int i = 0; i < 500; ++i) { parse(); rest(1000000); }
    return 0;
}
"""
# Each step takes longer than the one before, and loses one of its 31 blocks.
SLOWS = MAIN + r"""
    for (int i = 0; i < 2000; ++i) {
        for (int j = 0; j < 30; ++j) { kept = malloc(1000); free(kept); }
        kept = malloc(2000);
        volatile long x = 0;
        for (long n = 0; n < 200L * i; ++n) x += n;
    }
    return 0;
}
"""
# A buffer is replaced by a larger copy, by two ways in turn.
TURNS = HEAD + r"""
static char* buffer;
static size_t length;
__attribute__((noinline)) static char* grown(size_t size) { return malloc(size); }
__attribute__((noinline)) static void by_one(void) {
    char* larger = grown(length += 1000);
    free(buffer);
    buffer = larger;
}
__attribute__((noinline)) static void by_other(void) {
    char* larger = grown(length += 1000);
    free(buffer);
    buffer = larger;
    kept = buffer;
}
int main(void) {
    for (int i = 0; i < 300; ++i) { rest(2000000); if (i % 2) by_one(); else by_other(); }
    return 0;
}
"""
# Data is loaded, and then the program computes without the heap.
LOADS = MAIN + r"""
    static char* lines[2000];
    for (int i = 0; i < 2000; ++i) { lines[i] = strdup("a line of the input"); rest(50000); }
    compute(1.5);
    return lines[17][0] == 0;
}
"""
# Data is collected to the end of the program, in less than a tenth of a second, and then freed.
COLLECTS = MAIN + r"""
    static char* lines[20000];
    for (int i = 0; i < 20000; ++i) lines[i] = strdup("a line of the input");
    for (int i = 0; i < 20000; ++i) free(lines[i]);
    return 0;
}
"""
# A library is loaded again and again, and forgets a block each time.
LOADER = MAIN + r"""
    for (int i = 0; i < 300; ++i) {
        void* plugin = dlopen(argv[1 + i % 2], RTLD_NOW);
        char* (*call)(int) = (char* (*)(int))dlsym(plugin, "plugin_forgets");
        call(i % 2 ? 3000 : 1000);
        dlclose(plugin);
        rest(2000000);
    }
    return 0;
}
"""
PLUGIN = """#include <stdlib.h>
#include <string.h>
char* plugin_forgets(int n) { char* p = malloc(n); memset(p, 1, n); return p; }
"""


def growth_of(name, source, *arguments):
    _, program = build(source, place=name, flags=["-ldl"])
    return Growth(dump_of(program, *arguments))


def expect_no_accusation(name, ran):
    expect(ran.findings("leak"), [], f"{name}: leaks")


def stubs_pin_the_heap():
    ran = growth_of("stubs", STUBS)
    leak = ran.findings("leak", "growing")[0]
    expect(leak["own"]["function"], "parse", "stubs: who")
    (end,) = ran.data["out_of_memory"]
    expect(end["of"], "host", "stubs: what is used up")
    require(end["not_known"] is None, f"stubs: {end}")
    hour = 500 * 5 * 90_000 / 3 * 3600  # of most of it, in less than three seconds
    require(end["bytes_per_hour"] > hour / 4, f"stubs: {end} grows by too little")
    require(leak["bytes_per_hour"] < end["bytes_per_hour"] / 100, "stubs: held is little")
    require("free parts of the heap below blocks that live" in ran.text, ran.text)
    require("parse  stubs/keeper.c" in ran.text.split("free parts of the heap")[1], ran.text)


def steps_that_slow_down_leak_all_the_same():
    ran = growth_of("slows", SLOWS)
    (leak,) = ran.findings("leak")
    expect(leak["own"]["line"], line_of(SLOWS, "malloc(2000)"), "slows: where")
    require(leak["kept"] == leak["of"] >= 1990, f"slows: {leak['kept']} of {leak['of']}")


def what_was_loaded_is_no_leak():
    expect_no_accusation("loads", growth_of("loads", LOADS))
    ran = growth_of("collects", COLLECTS)
    expect_no_accusation("collects", ran)


def a_plugin_loaded_again_is_one_place():
    root = folder()
    with open(os.path.join(root, "plugin.c"), "w", encoding="utf-8") as file:
        file.write(PLUGIN)
    plugins = [os.path.join(root, f"plug{i}.so") for i in range(2)]
    for plugin in plugins:
        subprocess.run(["cc", "-g", "-O1", "-fno-builtin", "-fPIC", "-shared",
                        os.path.join(root, "plugin.c"), "-o", plugin], check=True)
    ran = growth_of("loader", LOADER, *plugins)
    leaks = ran.findings("leak")
    require(leaks, ran.text)
    require(all(leak["own"]["function"] == "plugin_forgets" for leak in leaks), f"{leaks}")
    require(sum(leak["kept"] for leak in leaks) >= 290, f"{[one['kept'] for one in leaks]}")


def calls_that_take_turns_grow_together():
    """A buffer is replaced by a larger one, in two ways in turn: each has it half of the time."""
    ran = growth_of("turns", TURNS)
    (found,) = ran.findings("growing")
    require(found["own"]["function"] == "grown", f"{found['own']}")
    require(found["grown_blocks"] == 1, f"{found['grown_blocks']} blocks grow")
    require("one block is made larger" in found["why"], found["why"])
    require(not ran.findings("periodic"), ran.text)


def test():
    calls_that_take_turns_grow_together()
    stubs_pin_the_heap()
    steps_that_slow_down_leak_all_the_same()
    what_was_loaded_is_no_leak()
    a_plugin_loaded_again_is_one_place()
