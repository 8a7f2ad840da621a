"""MEMTRACE_OUTPUT: %p is the pid, %e the program, %r the rank, %n a counter, %% a percent sign."""
import os

from harness import environment, expect, folder, report, require, run, shim, built


def name_of_dump(pattern, **env):
    where = folder()
    output = os.path.join(where, pattern)
    ended = run([built("exit_handlers")], environment([shim()], env, output=output))
    expect(ended.status, 0, "exit status")
    names = os.listdir(where)
    expect(len(names), 1, f"files ({names}, {ended.stderr})")
    return names[0], report(os.path.join(where, names[0])).program


def test():
    name, program = name_of_dump("%p.bin")
    expect(name, f"{program['pid']}.bin")
    expect(name_of_dump("x.%e.bin")[0], "x.exit_handlers.bin")
    expect(name_of_dump("100%%.bin")[0], "100%.bin")
    expect(name_of_dump("r%r.bin", RANK="3")[0], "r3.bin")
    require("%" not in name_of_dump("n%n.bin")[0], "%n was not replaced")
    require("%" not in name_of_dump("r%r.bin")[0], "%r without a rank was not replaced")
