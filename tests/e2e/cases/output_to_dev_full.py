"""MEMTRACE_OUTPUT names a device: it is not a dump, and the program ends as ever."""
from harness import built, environment, expect, run, shim


def test():
    for path in ("/dev/full", "/dev/null", "/", ""):
        ended = run([built("exit_handlers")], environment([shim()], {"MEMTRACE_OUTPUT": path}, "quiet=1"),
                    cwd="/nonexistent" if False else "/tmp")
        expect((ended.status, ended.stdout), (0, "last destructor ran\n"), f"the end with {path!r}")
