"""action.yml on a runner: it installs the wheel from an index, or builds the checkout. Its steps
pass for a program without leaks, and fail for a program that leaks, with an annotation in the log,
a table in the job's summary, and the dumps in the output."""
import glob
import os
import sys

from harness import expect, folder, require, run
from workflow import (bash, checkout, expressions, index, plain_environment, project, read_yaml,
                      version)

LIMITS = "--max-leaked-bytes 0 --max-peak-bytes 1M"

HELD = """import pytest
@pytest.mark.limit_peak("8 MB")
def test_small():
    bytearray(1 << 20)
@pytest.mark.limit_peak("8 MB")
def test_large():
    bytearray(64 << 20)
"""


class Job:
    """The steps of the action, in the order in which a runner executes them."""

    def __init__(self, workspace, search=None, **inputs):
        action = read_yaml("action.yml")
        unknown = set(inputs) - set(action["inputs"])
        expect(unknown, set(), "inputs that the action does not have")
        values = {f"inputs.{name}": inputs.get(name, said.get("default", ""))
                  for name, said in action["inputs"].items()}
        temp, where = folder(), checkout()
        self.files = {name: os.path.join(temp, name.lower()) for name in (
            "GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY")}
        for path in self.files.values():
            open(path, "w").close()
        env = plain_environment(GITHUB_ACTIONS="true", GITHUB_JOB="memory",
                                GITHUB_WORKSPACE=workspace, RUNNER_TEMP=temp,
                                GITHUB_ACTION_PATH=where, **index(), **self.files,
                                **({"PATH": search} if search else {}))
        self.status, self.log, self.kept, self.ran = 0, "", [], []
        for step in action["runs"]["steps"]:
            if step.get("uses", "").startswith("actions/upload-artifact"):
                self.upload(step)
            if "run" not in step or not self.wanted(step.get("if", ""), values) or self.status:
                continue
            self.ran.append(step["name"])
            more = {key: expressions(text, values) for key, text in step.get("env", {}).items()}
            path = os.pathsep.join([*reversed(self.lines("GITHUB_PATH")), env["PATH"]])
            ended = bash(expressions(step["run"], values), {**env, **more, "PATH": path}, workspace)
            self.status, self.log = ended.status, self.log + ended.stdout + ended.stderr

    def upload(self, step):
        """Notes the files that the action would upload. It does so after a failure, too."""
        require("always()" in step["if"], step)
        outputs = dict(line.split("=", 1) for line in self.lines("GITHUB_OUTPUT"))
        if outputs.get("artifact"):
            values = {f"steps.run.outputs.{name}": value for name, value in outputs.items()}
            require(expressions(step["with"]["name"], values).startswith("memtrace-memory-"), step)
            for pattern in expressions(step["with"]["path"], values).split():
                self.kept += sorted(map(os.path.basename, glob.glob(pattern)))

    @staticmethod
    def wanted(condition, values):
        """True if the condition holds. All have the form ${{ inputs.x == 'y' }}, or with !=."""
        if not condition:
            return True
        name, operator, text = condition.strip("${} ").split()
        return (values[name] == text.strip("'")) == (operator == "==")

    def lines(self, name):
        with open(self.files[name]) as file:
            return file.read().splitlines()


def plugin_in_the_jobs_python(workspace):
    """`python: true` installs the plugin there, and nowhere without it."""
    venv = os.path.join(folder(), "python")
    # pip finds pytest there, because the local index has libmemtrace alone.
    made = run([sys.executable, "-m", "venv", "--system-site-packages", venv])
    has_pytest = run([os.path.join(venv, "bin", "python"), "-c", "import pytest"]).status == 0
    if made.status != 0 or not has_pytest:  # What is left of the case is about other inputs.
        return
    with open(os.path.join(workspace, "test_held.py"), "w", encoding="utf-8") as file:
        file.write(HELD)
    begins = os.path.join(venv, "bin") + os.pathsep + os.environ["PATH"]
    command = "python -m pytest --memtrace test_held.py"
    without = Job(workspace, search=begins, command=command, limits="--max-peak-bytes 1T")
    require(without.status != 0 and "--memtrace" in without.log, without.log[-1000:])
    plugged = Job(workspace, search=begins, command=command, limits="--max-peak-bytes 1T",
                  python="true")
    require("test_small" in plugged.log and "1 failed, 1 passed" in plugged.log,
            plugged.log[-2000:])


def test():
    workspace = project()
    green = Job(workspace, command="./leaks", limits=LIMITS)
    require("Install memtrace" in green.ran and "Build memtrace" not in green.ran, green.ran)
    expect(green.status, 0, f"exit code of a clean program ({green.log[-1000:]})")
    require("::error" not in green.log, green.log)
    require("pass" in green.log, f"the result is not in the log: {green.log}")
    expect(green.kept, ["memtrace.html", "check.txt"], "what is kept of a clean program")

    red = Job(workspace, command="echo begins\n./leaks keeps\n", limits=LIMITS)
    expect(red.status, 1, f"exit code of a leaky program ({red.log[-1000:]})")
    errors = [line for line in red.log.splitlines() if line.startswith("::error ")]
    require(any("file=leaks.c,line=4," in line for line in errors), f"annotations: {red.log}")
    summary = "\n".join(red.lines("GITHUB_STEP_SUMMARY"))
    require("123,456" in summary or "120.6 KiB" in summary, f"summary: {summary}")
    outputs = dict(line.split("=", 1) for line in red.lines("GITHUB_OUTPUT"))
    expect(red.kept, ["memtrace.html", "check.txt"], "what is kept of a leaky program")
    expect(outputs["page"], os.path.join(outputs["dumps"], "memtrace.html"), "the page")
    without = Job(workspace, command="./leaks", limits=LIMITS, page="false")
    expect((without.status, without.kept), (0, []), "without a page")
    dumps = outputs["dumps"]
    require(any(name.startswith("memtrace.leaks.") for name in os.listdir(dumps)),
            os.listdir(dumps))

    # The programs are those of the wheel, and python is the job's own.
    where = Job(workspace, command="command -v memtrace python3; memtrace --version",
                limits=LIMITS).log
    require("memtrace-python-" in where and f"memtrace {version()}" in where, where)
    require("memtrace-python-" not in where.split("memtrace\n", 1)[1].splitlines()[0], where)
    missing = Job(workspace, command="./leaks", limits=LIMITS, version="99.0")
    require(missing.status != 0 and "libmemtrace==99.0" in missing.log, missing.log)

    plugin_in_the_jobs_python(workspace)

    built = Job(workspace, command="./leaks keeps", limits=LIMITS, source="true")
    expect(built.status, 1, f"exit code with memtrace from source ({built.log[-1000:]})")
    require("Build memtrace" in built.ran and "Install memtrace" not in built.ran, built.ran)
    outputs = dict(line.split("=", 1) for line in built.lines("GITHUB_OUTPUT"))
    require(outputs["key"].startswith("memtrace-") and len(outputs["key"]) > 30, outputs)

    expect(Job(workspace, command="exit 9", limits=LIMITS).status, 9, "a command that fails")
    expect(Job(workspace, command="./leaks").status, 2, "without a limit")
    expect(Job(workspace).status, 0, "only installed")
