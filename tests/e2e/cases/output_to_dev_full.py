"""MEMTRACE_OUTPUT names a device: this is not a dump, and the program ends as usual."""
from harness import built, environment, expect, folder, run, shim


def test():
    for path in ("/dev/full", "/dev/null", "/", ""):
        env = environment([shim()], {"MEMTRACE_OUTPUT": path}, "quiet=1")
        ended = run([built("exit_handlers")], env, cwd=folder())
        expect((ended.status, ended.stdout), (0, "last destructor ran\n"), f"the end with {path!r}")
