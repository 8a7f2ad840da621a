"""A dump contains how much memory the machine has: `info` and the JSON show it, and `growth` uses
it to say when a leak has taken everything. --memory overrides it. An older dump has no such
record."""
import glob
import os

from checks import build, dump_of
from harness import SOURCE, expect, report, reporter, require, run

# 4 KiB in each of 400 steps of a millisecond.
LEAK = """#include <stdlib.h>
#include <time.h>
void* volatile last;
__attribute__((noinline)) void keep(void) { last = malloc(4096); }
int main(void) {
    const struct timespec step = {0, 2000000};
    for (int i = 0; i < 400; ++i) {
        keep();
        nanosleep(&step, NULL);
    }
    return 0;
}
"""


def memory_of_the_kernel():
    with open("/proc/meminfo", encoding="ascii") as file:
        for line in file:
            if line.startswith("MemTotal:"):
                return 1024 * int(line.split()[1])
    raise AssertionError("no MemTotal in /proc/meminfo")


def of_reporter(*arguments):
    ended = run([reporter(), *arguments])
    expect(ended.status, 0, f"{arguments}: {ended.stderr}")
    return " ".join(ended.stdout.split())


def test():
    _, program = build(LEAK)
    dump = dump_of(program)
    data = report(dump, "info").data["program"]
    expect(data["machine_memory_bytes"], memory_of_the_kernel(), "memory of the machine")
    limit = data["memory_limit_bytes"]
    require(limit is None or limit > 0, f"a limit of {limit}")
    require("machine memory" in of_reporter("info", dump), "info does not say it")
    require("are left: about " in of_reporter("growth", dump),
            "growth does not say when memory runs out")
    text = of_reporter("growth", dump, "--memory", "1T")
    require("of 1.0 TiB are left: about " in text, f"--memory does not override: {text}")
    for old in glob.glob(os.path.join(SOURCE, "tests", "dumps", "version-1-*.bin")):
        data = report(old, "info").data["program"]
        expect((data["machine_memory_bytes"], data["memory_limit_bytes"]), (None, None), old)
