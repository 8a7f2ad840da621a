"""A line takes memory at several call stacks, and each alone misleads: a ring is a cache whichever
stack made its blocks, and a leak beside a cache at the same line is a leak."""
from checks import growth_of_native, growth_of_python, line_of
from harness import expect, require

# The ring is full at 85 % of the run.
RING = """from collections import deque
def main():
    ring = deque(maxlen=850)
    for i in range(1000):
        ring.append(bytearray(4000))
main()
"""
# The same, and every tenth block is kept beside the ring, at the same line.
RING_AND_LEAK = """from collections import deque
kept = []
def take(i, ring):
    (ring if i % 10 else kept).append(bytearray(700))
def main():
    ring = deque(maxlen=14_000)
    for i in range(20_000):
        take(i, ring)
main()
"""
# One line with two callees: a table that is full after a third of the run, and a leak.
TABLE_AND_LEAK = r"""
#include <stdlib.h>
#include <string.h>
static char *table[1000], *kept[3000];
__attribute__((noinline)) static char *entry(int i) { return calloc(1, 64 + i % 2); }
__attribute__((noinline)) static char *other(int i) { return calloc(1, 64 + i % 2); }
int main(void) {
    for (int i = 0; i < 3000; ++i) {
        free(table[i % 1000]);
        table[i % 1000] = entry(i); if (i % 5 == 0) kept[i] = other(i);
        for (int k = 0; k < 20; ++k) free(malloc(100 + (size_t)k));
    }
    return table[5][0] + kept[5 * 7][0];
}
"""
# A log: two copies of one line take turns.
LOG = r"""
#include <stdlib.h>
#include <unistd.h>
static char *log_of[2000];
#define ENTRY(i) log_of[i] = (i) < 900 ? malloc(50) : malloc(51)
int main(void) {
    for (int i = 0; i < 2000; ++i) {
        ENTRY(i);
        usleep(300);
    }
    return log_of[17] == 0;
}
"""


def lines_of(growth, *verdicts):
    return {finding["own"]["line"] for finding in growth.findings(*verdicts)
            if finding["kept"] > 1}


def test():
    ring = growth_of_python("ring", RING)
    # The deque's own blocks are few: one for 64 entries.
    large = [one for one in ring.findings("leak", "growing") if one["per_step"] >= 20]
    expect(large, [], "a ring that is full late")
    both = growth_of_python("both", RING_AND_LEAK)
    found = lines_of(both, "leak", "growing")
    expect(found, {line_of(RING_AND_LEAK, "bytearray")}, "a leak beside a ring")
    table = growth_of_native("table", TABLE_AND_LEAK)
    found = {finding["own"]["function"] for finding in table.findings("leak", "growing")}
    expect(found, {"other"}, "a leak beside a table")
    log = growth_of_native("log", LOG)
    (leak,) = log.findings("leak")
    require(leak["kept"] > 1900, f"a log that is kept by two stacks: {leak['kept']} of 2,000")
