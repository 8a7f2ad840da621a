"""memtrace's own programs pass memtrace's own limit check: they keep to the baselines of
tests/baselines. A change that removes a free fails the check, with the line to blame.

A new baseline:
    memtrace run --check --update-baseline --baseline tests/baselines/NAME.json -- PROGRAM
"""
import glob
import os
import shutil
import subprocess

from harness import SOURCE, built, folder, reporter, require
from launch import launch

BASELINES = os.path.join(SOURCE, "tests", "baselines")
LEAKY = "realloc_moves"  # a variant of it omits `free(neighbour)`


def check(name, program, status=0):
    baseline = os.path.join(BASELINES, name + ".json")
    return launch("--check", "--root", SOURCE, "--baseline", baseline,
                  "--max-leaked-bytes", "+4K", "--", program, status=status)


def test():
    names = [os.path.splitext(os.path.basename(path))[0]
             for path in glob.glob(os.path.join(BASELINES, "*.json"))]
    require(LEAKY in names and len(names) > 1, f"baselines: {names}")
    for name in names:
        check(name, built(name))

    source = os.path.join(folder(), "tests", "programs", LEAKY + ".c")
    os.makedirs(os.path.dirname(source))
    shutil.copy(os.path.join(SOURCE, "tests", "programs", "support.h"), os.path.dirname(source))
    with open(os.path.join(SOURCE, "tests", "programs", LEAKY + ".c")) as file:
        text = file.read()
    require(text.count("free(neighbour);") == 1, "the line that is to be forgotten is gone")
    with open(source, "w") as file:
        file.write(text.replace("free(neighbour);", ""))
    program = os.path.join(folder(), LEAKY)
    subprocess.run(["cc", "-D_GNU_SOURCE", "-O1", "-g", "-fno-builtin", source, "-o", program,
                    "-lpthread"], check=True)
    check(LEAKY, program, status=1).expect_said("leaked-bytes", LEAKY + ".c")

    # The reader of dumps also keeps little at its end.
    old_dump = os.path.join(SOURCE, "tests", "dumps", "version-1-many_blocks.bin")
    launch("--check", "--max-leaked-bytes", "1M", "--", reporter(), old_dump)
