"""The user means the programs that a shell or `timeout` starts, not the launcher itself. Small
tools of a script are not recorded. If a script runs two programs under one name, neither dump
replaces the other."""
import os

from harness import built, expect, require, trace


def commands(traced):
    """Returns the file names of all recorded programs."""
    return sorted(os.path.basename(traced.report_of(dump).program["command"][0])
                  for dump in traced.dumps)


def test():
    program = built("free_on_other_thread")
    expect(commands(trace(["timeout", "60", program])), ["free_on_other_thread"], "timeout")
    expect(commands(trace(["env", "A=1", program])), ["free_on_other_thread"], "env")
    script = f"cat /dev/null; {program} >/dev/null; (nice -n 1 {program} >/dev/null); ls >/dev/null"
    found = trace(["bash", "-c", script])
    expect(commands(found), ["free_on_other_thread"] * 2, "a script")
    require(all(os.path.basename(dump).startswith("dump.bin") for dump in found.dumps), found.dumps)

    # A recorded program that runs the same executable through a shell has a child.
    through_shell = trace("runs_itself_through_a_shell")
    expect(len(through_shell.dumps), 2, "through a shell")
    expect(os.path.basename(through_shell.dumps[0]), "dump.bin")

    everything = commands(trace(["bash", "-c", script], options="children=all"))
    require({"bash", "cat", "ls"} <= set(everything), f"children=all: {everything}")
