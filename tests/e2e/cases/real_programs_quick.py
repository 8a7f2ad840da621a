"""A few of the programs of scripts/measure/programs: output, exit code, error output and files are
the same as without memtrace, in every process, and nothing is lost."""
import os

from harness import BUILD, PYTHON, SOURCE, expect, require, run


def test():
    script = os.path.join(SOURCE, "scripts", "measure", "programs")
    ended = run([PYTHON, script, "--quick", "--build", BUILD], timeout=200)
    expect(ended.status, 0, f"exit status\n{ended.stdout}{ended.stderr}")
    require(ended.stdout.count("| the same |") >= 5, f"too few programs are here: {ended.stdout}")
