"""Who calls an allocator's operator delete, which is the same code as its free(), does not call
libc past memtrace: the report does not say so."""
import os

from harness import built, environment, expect, folder, reporter, require, run, shim


def test():
    dump = os.path.join(folder(), "dump.bin")
    ended = run([built("delete_is_free")], env=environment([shim()], output=dump))
    expect(ended.status, 0, "exit status")
    text = " ".join(run([reporter(), "summary", dump], env=environment([])).stdout.split())
    require("past memtrace" not in text, text)
