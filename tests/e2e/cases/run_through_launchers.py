"""`memtrace run` of a shell or `timeout` records what they start. memtrace and memtrace-report
are never recorded. A program that memtrace run starts below a recorded program is recorded
separately."""
from harness import built, expect, reporter
from launch import launch, launcher


def test():
    program = built("stack_of_c")
    expect(launch("--", "timeout", "60", program).programs(), ["stack_of_c"], "timeout")
    script = f"{program}; cat /dev/null; {launcher()} run --report -- {program}; " \
             f"{reporter()} *.bin; {launcher()} leaks *.bin"
    found = launch("--report", "--", "bash", "-c", script)
    expect(found.programs(), ["stack_of_c"] * 2, "a script")

    # A recorded program, another executable, and `memtrace run` between them.
    starts = "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]))"
    for words in ([], ["--report"]):
        nested = launch("--", "python3", "-c", starts, launcher(), "run", *words, "--", program)
        expect([name for name in nested.programs() if not name.startswith("python")],
               ["stack_of_c"], f"below a recorded program, {words}")
