"""A symbolic link at the path of the dump is not followed, so an attacker's link cannot redirect
the writes of the shim."""
import os

from harness import built, environment, expect, folder, require, run, shim


def test():
    where = folder()
    target, link = os.path.join(where, "target"), os.path.join(where, "dump.bin")
    os.symlink(target, link)
    ended = run([built("exit_handlers")], environment([shim()], output=link))
    expect((ended.status, ended.stdout), (0, "last destructor ran\n"), "the program's end")
    require(not os.path.exists(target), "the dump was written through the link")
    require(ended.lines_of_memtrace(), "nothing was said about it")
