"""check: limits on how fast leaks grow, and limits on one phase, by option and by memtrace.toml.
A recording that cannot be judged is exit code 3. A phase that does not occur is exit code 2."""
import os
import shutil
import subprocess

from checks import build, check, dump_of
from harness import SOURCE, expect, folder, require, skip

LEAKS = os.path.join(SOURCE, "tests", "leaks")


def built(name, *flags):
    compiler = shutil.which("c++") or skip("there is no C++ compiler")
    program = os.path.join(folder(), name + "".join(flags))
    subprocess.run([compiler, "-std=c++17", "-O1", "-g", "-fno-builtin",
                    "-I", os.path.join(SOURCE, "include"), os.path.join(LEAKS, name + ".cpp"),
                    "-o", program, *flags], check=True)
    return program


def test():
    leak = built("leak_steady")  # 64 bytes a step
    leaky = dump_of(leak)
    quiet = dump_of(built("cache_full_early"))
    unmarked = dump_of(leak, env={"LEAKS_MARKS": "0"})
    blind = built("leak_steady", "-g0")  # Without lines no steps are found.
    no_steps = dump_of(blind, env={"LEAKS_MARKS": "0"})
    short = dump_of(build()[1])  # a few events
    unsure = dump_of(built("leak_freed_at_exit"), env={"LEAKS_MARKS": "0"})

    expect(check(leaky, "--max-growth-per-step", "100").status, 0, "64 bytes a step are allowed")
    found = check(leaky, "--max-growth-per-step", "50")
    expect(found.status, 1, f"they are not: {found.stdout}")
    require("host growth-per-step" in found.stdout and "keep" in found.stdout, found.stdout)
    expect(check(leaky, "--max-growth-per-hour", "0").status, 1, "a leak")
    expect(check(quiet, "--max-growth-per-hour", "0").status, 0, "a cache is no leak")
    expect(check(unmarked, "--max-growth-per-hour", "0").status, 1, "a leak without marks")
    expect(check(unmarked, "--max-growth-per-step", "50").status, 1, "steps without marks")
    expect(check(no_steps, "--max-growth-per-hour", "0").status, 1, "a leak without steps")
    found = check(no_steps, "--max-growth-per-step", "1M")
    expect(found.status, 3, "no steps are marked or found")
    require("no steps" in found.stdout, found.stdout)
    expect(check(short, "--max-growth-per-hour", "1T").status, 3, "too short to tell")
    found = check(unsure, "--max-growth-per-hour", "1K")
    expect(found.status, 3, f"growing, not sure, in a short run: {found.stdout}")
    require("was not judged" in found.stdout and "FAIL" not in found.stdout, found.stdout)
    expect(check(unsure, "--max-growth-per-hour", "1T").status, 0, "kept, whatever it is")
    expect(check(leaky, "--max-growth-per-step", "+10%").status, 2, "nothing to compare with")

    of_step = ("--phase", "step #")
    expect(check(leaky, *of_step, "--max-leaked-bytes", "128000").status, 0, "what steps left")
    expect(check(leaky, *of_step, "--max-leaked-bytes", "127999").status, 1, "a byte less")
    expect(check(leaky, *of_step, "--max-held-bytes", "128000").status, 0, "it is held as well")
    expect(check(leaky, *of_step, "--max-held-bytes", "127999").status, 1, "a byte less is held")
    expect(check(leaky, "--phase", "nothing", "--max-leaked-bytes", "0").status, 2, "no such phase")
    config = os.path.join(folder(), "memtrace.toml")
    for limit, status in (("128000", 0), ("127999", 1)):
        with open(config, "w", encoding="utf-8") as file:
            file.write(f'[phases."step #".limits]\nleaked-bytes = {limit}\n')
        found = check(leaky, "--config", config)
        expect(found.status, status, f"{limit} by {config}: {found.stdout}{found.stderr}")
    require("step #: host leaked-bytes" in found.stdout, found.stdout)
    require("NOW  WHERE" in found.stdout and "Still allocated" not in found.stdout,
            f"the sites of the phase are to blame, not those of the recording: {found.stdout}")
