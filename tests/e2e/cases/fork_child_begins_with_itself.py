"""A child that was forked late is told from its own beginning: its times, its middle, and what it
does in them. Its parent's life before is not a part of its own."""
from checks import build
from harness import expect, reporter, require, run, trace

SLEEPS_MS = 800
WORKS_MS = 200

SOURCE = f"""
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static void *table[200];
__attribute__((noinline)) static void fill(int i) {{ table[i] = malloc(1000); }}
int main(void) {{
    free(malloc(10));
    usleep({SLEEPS_MS * 1000});
    const pid_t child = fork();
    if (child == 0) {{
        for (int i = 0; i < 200; ++i) fill(i);
        for (int i = 0; i < {WORKS_MS // 10}; ++i) {{ usleep(10000); free(malloc(10)); }}
        exit(0);
    }}
    return waitpid(child, NULL, 0) != child;
}}
"""


def test():
    _, program = build(SOURCE)
    traced = trace([program])
    child, = traced.children
    parent = traced.main.program
    began = child.program["start_realtime_ns"] - parent["start_realtime_ns"]
    require(SLEEPS_MS * 1e6 <= began, f"the child began {began / 1e6:.0f} ms after its parent")
    lived = child.program["duration_ns"]
    require(lived < parent["duration_ns"] - SLEEPS_MS * 1e6,
            f"the child lived {lived / 1e6:.0f} ms, its parent {parent['duration_ns'] / 1e6:.0f}")
    filled, = child.sites_of(function="fill")
    expect(filled["held_bytes"], 200_000, "held by the table")
    # It was filled in the child's first half, all of which is the second half of its parent.
    text = run([reporter(), traced.dumps[1]]).stdout
    require("  nothing grew in the second half" in text, f"the summary of the child: {text}")
