"""The folder of MEMTRACE_OUTPUT does not exist: one line says so, and the program ends as usual."""
import os

from harness import built, environment, expect, folder, require, run, shim


def test():
    path = os.path.join(folder(), "missing", "dump.bin")
    ended = run([built("ends_by_underscore_exit")], environment([shim()], output=path))
    expect((ended.status, ended.stdout), (3, "leaving\n"), "the program's end")
    lines = ended.lines_of_memtrace()
    expect(len(lines), 1, f"lines of memtrace ({lines})")
    require(path in lines[0], f"the line does not name the path: {lines[0]}")
