"""A dump that is deleted, moved or replaced while the program runs: the last line says so instead
of naming a file that is not there."""
import os

from harness import PYTHON, environment, expect, folder, require, run, shim

HARM = {"deleted": "os.remove(dump)", "moved": "os.rename(dump, dump + '.old')",
        "replaced": "os.rename(dump, dump + '.old'); open(dump, 'w').write('mine')"}


def test():
    for what, harm in HARM.items():
        dump = os.path.join(folder(), "dump.bin")
        script = f"import os; dump = {dump!r}; {harm}; print('ok')"
        ended = run([PYTHON, "-c", script], environment([shim()], output=dump))
        expect((ended.status, ended.stdout), (0, "ok\n"), f"{what}: the end of the program")
        require("deleted or moved" in ended.stderr and "read it with" not in ended.stderr,
                f"{what}: {ended.stderr}")
