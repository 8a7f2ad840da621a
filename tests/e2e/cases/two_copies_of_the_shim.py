"""Two copies of libmemtrace.so in one process: the first one records, and the other one says that
it does not. There is one dump, and nothing is told of an exec."""
import os
import shutil

from harness import built, environment, expect, folder, reporter, require, run, shim


def test():
    where = folder()
    copy, dump = os.path.join(where, "copy.so"), os.path.join(where, "dump.bin")
    shutil.copy(shim(), copy)
    for preload in ([shim(), copy], [copy, shim()]):
        ended = run([built("many_events")], env=environment(preload, output=dump))
        expect(ended.status, 0, "exit status")
        require("another copy of libmemtrace.so" in ended.stderr, ended.stderr)
        expect(sorted(os.listdir(where)), ["copy.so", "dump.bin"], "dumps")
        text = run([reporter(), "summary", dump], env=environment([])).stdout
        require("none lost" in text and "exec" not in text, text)
        os.remove(dump)
