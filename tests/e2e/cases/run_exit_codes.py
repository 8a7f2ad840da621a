"""`memtrace run` ends with the program's exit code, or if that is 0, with the check's."""
import os

from harness import PYTHON, built, expect, folder
from launch import launch


def test():
    three_blocks = built("stack_of_c")  # 666 bytes, all kept
    fine = ["--check", "--max-leaked-bytes", "666", "--"]
    broken = ["--check", "--max-leaked-bytes", "665", "--"]
    fails = [PYTHON, "-c", "raise SystemExit(5)"]

    launch(*fine, three_blocks)
    found = launch(*broken, three_blocks, status=1)
    expect(found.stdout, "", "stdout is the program's")
    found.expect_said("666", "665")
    launch(*broken, *fails, status=5)
    launch(*fine, *fails, status=5)

    dies = "import os; os.kill(os.getpid(), 9)"
    killed = launch("--report", "--", PYTHON, "-c", dies, status=137)
    killed.expect_said("was ended by signal 9", "Peak of host")
    data = os.path.join(folder(), "data")
    with open(data, "w") as file:
        file.write("no program")
    launch("no-such-program", status=127).expect_said("no-such-program", "PATH")
    launch("./no-such-program", status=127).expect_said("no such file")
    launch("--report", "--", data, status=126).expect_said("cannot be run")
    launch(os.path.dirname(data), status=126).expect_said("a folder")

    # Misuse is reported before anything runs.
    touch = ["--", "touch", "it-ran"]
    for words in ([], ["--nonsense"], ["--check"], ["--check", "--max-leaked-bytes", "many"],
                  ["--report", "leeks"], ["--report", "--report-file", "no/such/folder"]):
        refused = launch(*words, *(touch if words else []), status=2)
        expect(os.listdir(refused.cwd), [], f"after {words}")
    missing = {"MEMTRACE_LIBRARY": "/no/such/libmemtrace.so"}
    launch(three_blocks, env=missing, status=2).expect_said("MEMTRACE_LIBRARY")

    # A check never passes on an empty recording. A shell's own commands are not recorded.
    launch(*fine, "sh", "-c", ":", status=2).expect_said("nothing was recorded")
    launch("--report", "--", "sh", "-c", ":").expect_said("nothing was recorded")
