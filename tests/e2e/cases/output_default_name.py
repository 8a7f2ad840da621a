"""Without MEMTRACE_OUTPUT the dump is memtrace.<program>.<pid>.bin in the current folder. For a
script, the program is the script's name."""
import os
import re

from harness import PYTHON, built, environment, expect, folder, require, run, shim


def test():
    where = folder()
    expect(run([built("exit_handlers")], environment([shim()]), cwd=where).status, 0, "exit status")
    names = os.listdir(where)
    require(re.fullmatch(r"memtrace\.exit_handlers\.\d+\.bin", " ".join(names)), f"{names}")
    where = folder()
    with open(os.path.join(where, "train.py"), "w") as script:
        script.write("print('hello')\n")
    run([PYTHON, "train.py"], environment([shim()]), cwd=where)
    names = [name for name in os.listdir(where) if name.endswith(".bin")]
    require(re.fullmatch(r"memtrace\.train(\.py)?\.\d+\.bin", " ".join(names)), f"{names}")
