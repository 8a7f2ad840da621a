"""MEMTRACE_OUTPUT names a device: this is not a dump, nothing appears beside it, and the program
ends as usual. A folder gets a dump with its default name."""
import glob
import os

from harness import built, environment, expect, folder, report, require, run, shim


def test():
    for path in ("/dev/full", "/dev/null", ""):
        env = environment([shim()], {"MEMTRACE_OUTPUT": path})
        ended = run([built("exit_handlers")], env, cwd=folder())
        expect((ended.status, ended.stdout), (0, "last destructor ran\n"), f"the end with {path!r}")
        expect(glob.glob("/dev/full?*") + glob.glob("/dev/null?*"), [], "files beside the device")
        if path:
            require("neither a file nor a folder" in ended.stderr, ended.stderr)

    pipe = os.path.join(folder(), "pipe")
    os.mkfifo(pipe)
    ended = run([built("exit_handlers")], environment([shim()], output=pipe))
    expect(ended.status, 0, "the end with a pipe")
    expect(os.listdir(os.path.dirname(pipe)), ["pipe"], "files beside the pipe")

    for where in (folder(), folder() + "/"):
        ended = run([built("exit_handlers")], environment([shim()], output=where))
        (dump,) = glob.glob(os.path.join(where, "memtrace.exit_handlers.*.bin"))
        expect(report(dump).program["end"], "exit 0", "the end in the dump")
