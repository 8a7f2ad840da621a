"""--report and --check read only the dumps of this run, and leave stdout alone."""
import os

from harness import built, expect, require
from launch import launch


def test():
    program = built("stack_of_c")
    first = launch("--report", "leaks", "--top", "1", "--", program)
    expect(first.stdout, "", "stdout")
    first.expect_said("666 bytes", "innermost")

    # In the same folder, under the same names: only the new dumps are read.
    launch("-o", "dump.bin", "--", built("spawns_itself"), cwd=first.cwd)
    second = launch("-o", "dump.bin", "--report", "--report-file", "report.txt", "--", program,
                    cwd=first.cwd)
    with open(os.path.join(second.cwd, "report.txt")) as file:
        text = file.read()
    require("==>" not in text and "stack_of_c" in text, f"not one report: {text[:500]}")
    require("Peak of host" not in second.stderr, "the report went to stderr")

    # Reports of all processes of a run. That of the first process comes first.
    both = launch("-o", "dump.bin", "--report", "--report-file", "-report", "--",
                  built("spawns_itself"))
    with open(os.path.join(both.cwd, "-report")) as file:
        headings = [line for line in file.read().splitlines() if line.startswith("==>")]
    expect(len(headings), len(both.dumps), f"reports {headings}")
    require(len(headings) > 1, f"of one process only: {headings}")
    expect(headings[0], "==> dump.bin", "the first one")

    # With libraries and variables that were set before.
    env = {"MEMTRACE_OUTPUT": "set.%p.bin", "LD_PRELOAD": built("liboracle.so"),
           "ORACLE_OUTPUT": os.path.join(both.cwd, "oracle")}
    kept = launch("--report", "--", program, env=env)
    expect([os.path.basename(dump)[:4] for dump in kept.dumps], ["set."], "dumps")
    require(any(name.startswith("oracle") for name in os.listdir(both.cwd)), "the oracle is gone")
