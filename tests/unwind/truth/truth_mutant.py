#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""truth_mutant.py PROGRAM CHECK SEED...: the unwinder without CHECK must be caught.

PROGRAM is a truth program with an unwinder that was built without that check. Caught means that it
reports a wrong stack or that it crashes. Anything else is a failure of this test: a program that is
missing, is another one, or runs out of time.
"""
import resource
import signal
import subprocess
import sys

SECONDS_MAX = 120


def run(program, arguments):
    """Returns the exit code (minus a signal's number) and all output."""
    done = subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", timeout=SECONDS_MAX, check=False)
    return done.returncode, done.stdout


def caught(program, arguments, check):
    """Returns how it was caught, or None."""
    code, output = run(program, arguments)
    if not output.startswith(f"without: {check}\n"):
        sys.exit(f"FAILED: {program} is not the unwinder without {check}:\n{output[:400]}")
    if code == 1 and "wrong stack" in output:
        return next(line for line in output.splitlines() if "wrong stack" in line)
    if code < 0:
        return f"it fell: {signal.Signals(-code).name}"
    if code != 0:
        sys.exit(f"FAILED: exit code {code}:\n{output[:2000]}")
    return None


def main():
    program, check, seeds = sys.argv[1], sys.argv[2], sys.argv[3:]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # Some are expected to crash.
    by_stories = caught(program, ["stories"], check)
    print(f"stories: {by_stories or 'nothing noticed'}")
    by_graph = caught(program, ["graph", *seeds], check)
    print(f"random graphs: {by_graph or 'nothing noticed'}")
    if by_stories or by_graph:
        return 0
    print(f"FAILED: without the check {check!r} nothing is wrong. It is not tested, or not needed.")
    return 1


if __name__ == "__main__":
    sys.exit(main())
