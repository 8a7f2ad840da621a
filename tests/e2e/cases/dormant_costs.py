"""A program that waits for memtrace start (start=later) pays at most eight instructions for a call
of the malloc family. They are counted, one by one."""
import os

from harness import built, environment, expect, require, run, shim, folder

EACH_MAX = 8
COUNT = 100


def instructions(what, preload):
    env = environment([], {"COUNT_PRELOAD": preload} if preload else {},
                      options="start=later,quiet=1", output=os.path.join(folder(), "dump.bin"))
    ended = run([built("counts_instructions"), built("pairs_of_calls"), what, str(COUNT)], env)
    expect(ended.status, 0, f"exit code of the count ({ended.stderr})")
    return int(ended.stdout)


def test():
    for what in ("malloc", "calloc", "realloc", "posix_memalign"):
        bare, dormant = instructions(what, ""), instructions(what, shim())
        more = (dormant - bare) / COUNT
        print(f"{what} and free: {more:.1f} instructions more, {bare / COUNT:.0f} without memtrace")
        require(bare > 20 * COUNT, "the calls were not counted")
        require(0 < more <= 2 * EACH_MAX, f"a pair of {what} and free costs {more} instructions")
