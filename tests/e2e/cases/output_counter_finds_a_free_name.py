"""%n counts up: three runs leave three dumps."""
import os

from harness import environment, expect, folder, run, shim, built


def test():
    where = folder()
    for _ in range(3):
        run([built("exit_handlers")], environment([shim()], output=os.path.join(where, "d%n.bin")))
    expect(len(os.listdir(where)), 3, f"dumps ({sorted(os.listdir(where))})")
