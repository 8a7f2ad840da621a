"""Samples of the resident set may take a thousandth of the time. If the requested interval is too
short for that, samples come less often, but at least at every tenth interval."""
import os

from checks import build
from harness import environment, folder, reporter, require, run, shim

# Allocates every ten microseconds for half a second, and prints the elapsed milliseconds.
BUSY = """#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e3 * time.tv_sec + 1e-6 * time.tv_nsec;
}
void* volatile last;
int main(void) {
    const double start = now();
    for (double next = start; next - start < 500; next += 0.01) {
        last = malloc(64);
        free(last);
        while (now() < next) {
        }
    }
    printf("%.0f\\n", now() - start);
    return 0;
}
"""


def samples_for_each_interval(program, sample_ms):
    dump = os.path.join(folder(), f"samples.{sample_ms}.bin")
    ended = run([program], env=environment([shim()], options=f"sample_ms={sample_ms}", output=dump))
    require(ended.status == 0, f"the program ended with {ended.status}: {ended.stderr}")
    text = run([reporter(), "text", dump]).stdout
    # One more sample is taken at the end.
    samples = sum(line.startswith("sample ") for line in text.splitlines()) - 1
    return samples * sample_ms / float(ended.stdout)


def test():
    _, program = build(BUSY)
    often, seldom = (samples_for_each_interval(program, sample_ms) for sample_ms in (1, 50))
    # Opening, reading and closing a file of /proc takes more than a microsecond on any machine. A
    # loaded machine may delay the program.
    require(0.02 < often < 0.9, f"{often:.2f} samples for each interval of 1 ms")
    require(0.3 < seldom < 1.2, f"{seldom:.2f} samples for each interval of 50 ms")
