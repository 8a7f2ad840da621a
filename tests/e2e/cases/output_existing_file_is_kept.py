"""An existing file is never overwritten: the program runs, and the dump goes elsewhere or
nowhere."""
import os

from harness import built, environment, expect, folder, require, run, shim


def test():
    where = folder()
    precious = os.path.join(where, "dump.bin")
    with open(precious, "w") as file:
        file.write("precious")
    ended = run([built("exit_handlers")], environment([shim()], output=precious))
    expect((ended.status, ended.stdout), (0, "last destructor ran\n"), "the program's end")
    with open(precious) as file:
        expect(file.read(), "precious", "the old file")
    require(ended.lines_of_memtrace(), "nothing was said about it")
