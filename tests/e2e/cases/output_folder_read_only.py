"""A folder without write permission: one line says so, and the program ends as usual."""
import os
import shutil

from harness import built, environment, expect, folder, require, run, shim, skip


def test():
    where = folder()
    path = os.path.join(where, "dump.bin")
    command = [built("ends_by_underscore_exit")]
    if os.geteuid() == 0:  # Root can write anywhere.
        if not shutil.which("setpriv"):
            skip("run as root, and there is no setpriv to become somebody else")
        # Other users must be able to read the program, wherever the build folder is.
        public = folder()
        os.chmod(public, 0o755)
        library = shutil.copy(shim(), public)
        command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env",
                   f"LD_PRELOAD={library}", shutil.copy(command[0], public)]
        ended = run(command, environment([], output=path))
    else:
        os.chmod(where, 0o500)
        ended = run(command, environment([shim()], output=path))
    expect((ended.status, ended.stdout), (3, "leaving\n"), f"the program's end ({ended.stderr})")
    lines = [line for line in ended.lines_of_memtrace() if path in line]
    require(lines, f"no line names the path: {ended.stderr}")
