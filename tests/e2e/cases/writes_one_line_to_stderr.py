"""At exit there is one line on stderr and nothing on stdout. quiet=1 suppresses even that line.
Its command can be given to a shell, whatever the path is."""
import os
import shlex

from harness import built, environment, expect, folder, require, run, shim, trace


def check_command(name):
    """The end of the line can be given to a shell, whatever the path has in it."""
    dump = os.path.join(folder(), name)
    ended = run([built("free_on_other_thread")], env=environment([shim()], output=dump))
    command = ended.stderr.rpartition("read it with: ")[2]
    expect(shlex.split(command), ["memtrace-report", dump], "the command at the end of the line")


def test():
    for name in ("plain.bin", "a b.bin", "$(echo x)`y`;z.bin", "it's.bin"):
        check_command(name)
    traced = trace("free_on_other_thread")
    lines = traced.ended.lines_of_memtrace()
    expect(len(lines), 1, f"lines of memtrace ({lines})")
    require(traced.dumps[0] in lines[0], f"the line does not say where the dump is: {lines[0]}")
    require("memtrace-report" in lines[0], f"the line does not say how to read it: {lines[0]}")
    quiet = trace("free_on_other_thread", options="quiet=1")
    expect(quiet.stderr, "", "stderr with quiet=1")
    expect(quiet.own, traced.own, "what was recorded")
