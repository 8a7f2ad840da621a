"""Programs with the number of iterations that take memory beside the line of a loop:

    #= 12   exactly this number is found
    #* 12   so it is, and the loop is the one of the steps
    #? 12   this number or none

In C++ the comment begins with //.
"""
import json
import re
import subprocess

from checks import dump_of, written
from harness import PYTHON, expect, reporter, require, run


def truth_of(source):
    """Returns (line, sign, number) of each loop that is marked."""
    return [(line, sign, int(number)) for line, text in enumerate(source.splitlines(), 1)
            for sign, number in re.findall(r"(?:#|//)([=*?]) (\d+)$", text)]


def check(name, source, file, dump):
    ended = run([reporter(), "steps", "--json", "-", dump])
    expect(ended.status, 0, ended.stderr)
    loops = {loop["loop"]["line"]: loop for loop in json.loads(ended.stdout)["steps"]
             if loop["loop"]["file"] == file}
    for line, sign, number in truth_of(source):
        found = loops.get(line) or {"count": None, "is_step": False}
        wanted = (number, None) if sign == "?" else (number,)
        require(found["count"] in wanted, f"{name}: line {line} goes round {number} times: {found}")
        if sign == "*":
            require(found["is_step"], f"{name}: the steps are those of line {line}: {loops}")


def check_python(programs):
    for name, source in programs.items():
        file = written(name + ".py", source)
        check(name, source, file, dump_of([PYTHON, file]))


def check_native(programs, *options):
    """Compiles with -g and these options. Returns the last command without -g, and its program."""
    command, program = None, None
    for name, source in programs.items():
        file = written(name + ".cpp", source)
        program = file.replace(".cpp", ".exe")
        command = ["c++", "-std=c++17", *options, file, "-o", program]
        subprocess.run([*command, "-g"], check=True)
        check(name, source, file, dump_of(program))
    return command, program
