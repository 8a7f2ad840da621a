"""The package libmemtrace: `python -m libmemtrace run` records what this Python would run. Marks
and phases reach the dump, and are nothing where the process is not recorded."""
import json
import os
import shutil

from harness import (BUILD, PYTHON, SOURCE, environment, expect, folder, function_of, report,
                     require, run)

SCRIPT = """
import sys
import libmemtrace

@libmemtrace.phase("decorated")
def fill():
    return [bytearray(100_000) for _ in range(20)]

libmemtrace.mark("with a \\0 in it")
with libmemtrace.phase("training"):
    kept = fill()
print(libmemtrace.is_recorded(), *sys.argv[1:])
"""


def install(place):
    """Puts the package there, with the programs of this build."""
    package = os.path.join(place, "libmemtrace")
    shutil.copytree(os.path.join(SOURCE, "integrations", "python", "src", "libmemtrace"), package)
    os.mkdir(os.path.join(package, "bin"))
    for program in ("memtrace", "memtrace-report", "libmemtrace.so"):
        os.symlink(os.path.join(BUILD, program), os.path.join(package, "bin", program))
    with open(os.path.join(place, "script.py"), "w") as file:
        file.write(SCRIPT)


def python(place, *words, status=0):
    ended = run([PYTHON, *words], environment([], {"PYTHONPATH": place}), cwd=place)
    expect(ended.status, status, f"{words} ({ended.stderr[-1000:]})")
    return ended


def check_words(place):
    """The options of `memtrace run` stay in front, and the script's behind."""
    code = ("from libmemtrace._programs import python_command as c; import json, sys; "
            "print(json.dumps([c(words, 'py') for words in json.loads(sys.argv[1])]))")
    asked = [["a.py", "-o", "x"], ["-o", "x", "a.py"], ["-m", "mod", "--html"], ["--help"], [],
             ["--report", "leaks", "--top", "3", "--", "a.py"], ["--open", "--", "a.py"],
             ["--options=quiet=1", "-c", "pass"]]
    wanted = [["--", "py", "a.py", "-o", "x"], ["-o", "x", "--", "py", "a.py"],
              ["--", "py", "-m", "mod", "--html"], ["--help"], [],
              ["--report", "leaks", "--top", "3", "--", "py", "a.py"],
              ["--open", "--", "py", "a.py"], ["--options=quiet=1", "--", "py", "-c", "pass"]]
    expect(json.loads(python(place, "-c", code, json.dumps(asked)).stdout), wanted, "words")


def test():
    place = folder()
    install(place)
    expect(python(place, "script.py").stdout, "False\n", "what a process that is not recorded says")
    made = python(place, "-m", "libmemtrace", "run", "-o", "run.bin", "script.py", "--flag", "x")
    expect(made.stdout, "True --flag x\n", "what the script says")
    phases = report(os.path.join(place, "run.bin"), "phases").data["phases"]
    names = {row["name"] for row in phases}
    require({"training", "decorated"} <= names, f"phases: {names}")
    sites = report(os.path.join(place, "run.bin"))
    require(any(function_of(frame) == "fill" for site in sites.sites for frame in site["stack"]),
            "no site of fill()")
    marks = report(os.path.join(place, "run.bin"), "info").data["marks"]
    require(any("with a ? in it" in str(mark) for mark in marks), f"marks: {marks}")
    require("script.py" in python(place, "-m", "libmemtrace", "leaks", "run.bin").stdout, "leaks")
    doctor = python(place, "-m", "libmemtrace", "doctor")
    require(PYTHON in doctor.stdout or "python" in doctor.stdout, doctor.stdout)
    check_words(place)
