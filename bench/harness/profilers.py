# SPDX-License-Identifier: Apache-2.0
"""The compared profilers: their commands, their recordings and their reports.

Each profiler runs as its users run it, with its defaults. memray also records native stacks,
because the others do.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess


class Tool:
    name = ""
    python_only = False

    def is_for(self, workload):
        """Returns True if the table of that workload has a row for this tool."""
        return True

    def missing(self):
        """Returns why the tool cannot be used here, or None."""

    def version(self):
        return ""

    def command(self, workload, folder):
        """Returns (command, additions to the environment)."""
        raise NotImplementedError

    def recording(self, folder):
        """Returns the file with the recording, or None if the tool writes none."""
        raise NotImplementedError

    def reports(self, recording):
        """Returns the report commands of the tool, by name."""
        return {}

    def allocations(self, recording):
        """Returns the number of allocations that the tool counted, or None."""


def first_line(*command):
    try:
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""
    return output.strip().split("\n")[0]


class Bare(Tool):
    name = "bare"

    def command(self, workload, folder):
        return workload.command, {}

    def recording(self, folder):
        return None


class Memtrace(Tool):
    name = "memtrace"

    def __init__(self, build):
        self.library = build / "libmemtrace.so"
        self.report = build / "memtrace-report"

    def missing(self):
        for file in (self.library, self.report):
            if not file.exists():
                return f"not built: no {file}"
        return None

    def version(self):
        return first_line(self.report, "--version").removeprefix("memtrace-report ")

    def command(self, workload, folder):
        return workload.command, {"LD_PRELOAD": str(self.library), "MEMTRACE_OPTIONS": "quiet=1",
                                  "MEMTRACE_OUTPUT": str(folder / "memtrace.bin")}

    def recording(self, folder):
        return folder / "memtrace.bin"

    def reports(self, recording):
        return {"memtrace-report": [self.report, recording]}

    def facts(self, recording):
        output = subprocess.run([self.report, "info", "--json", "-", recording], check=True,
                                capture_output=True, text=True).stdout
        return json.loads(output)

    def allocations(self, recording):
        return self.facts(recording)["spaces"]["host"]["allocations"]


class MemtraceWith(Memtrace):
    """memtrace with an option."""

    def __init__(self, build, option):
        super().__init__(build)
        self.option = option
        self.name = f"memtrace {option}"

    def command(self, workload, folder):
        command, additions = super().command(workload, folder)
        additions["MEMTRACE_OPTIONS"] += f",{self.option}"
        return command, additions


class MemtraceNative(MemtraceWith):
    """memtrace without Python's frames. The difference is their cost."""

    def __init__(self, build):
        super().__init__(build, "python=0")

    def is_for(self, workload):
        return workload.is_python


class MemtraceObjects(MemtraceWith):
    """memtrace with all of Python's small objects, or none. A sample of them is the default."""

    def __init__(self, build, mode):
        super().__init__(build, f"python_allocs={mode}")

    def is_for(self, workload):
        return workload.has_objects

    def allocations(self, recording):
        spaces = self.facts(recording)["spaces"]
        return sum(spaces[name]["allocations"] for name in ("host", "python") if name in spaces)


class Heaptrack(Tool):
    name = "heaptrack"

    def missing(self):
        return None if shutil.which("heaptrack") else "not installed"

    def version(self):
        return first_line("heaptrack", "--version").removeprefix("heaptrack ")

    def command(self, workload, folder):
        # Newer versions open a window at the end without --record-only.
        usage = subprocess.run(["heaptrack", "--help"], capture_output=True, text=True).stdout
        only = ["--record-only"] if "--record-only" in usage else []
        return ["heaptrack", *only, "-o", str(folder / "heaptrack"), *workload.command], {}

    def recording(self, folder):
        return next(folder.glob("heaptrack.*"))

    def reports(self, recording):
        return {"heaptrack_print": ["heaptrack_print", "-f", recording]}

    def allocations(self, recording):
        output = subprocess.run(["heaptrack_print", "-f", recording], check=True,
                                capture_output=True, text=True).stdout
        return int(re.search(r"calls to allocation functions: (\d+)", output)[1])


class Memray(Tool):
    name = "memray --native"
    python_only = True

    def __init__(self, python):
        self.python = python

    def missing(self):
        return None if self.version() else "not installed"

    def version(self):
        return first_line(self.python, "-m", "memray", "--version")

    def command(self, workload, folder):
        # The workload's command has the form: python script argument ...
        return [self.python, "-m", "memray", "run", "--native", "-q", "-o",
                str(folder / "memray.bin"), *workload.command[1:]], {}

    def recording(self, folder):
        return folder / "memray.bin"

    def reports(self, recording):
        page = pathlib.Path(recording).with_suffix(".html")
        return {"memray stats": [self.python, "-m", "memray", "stats", recording],
                "memray flamegraph": [self.python, "-m", "memray", "flamegraph", "-f", "-o", page,
                                      recording]}

    def allocations(self, recording):
        target = pathlib.Path(recording).with_suffix(".json")
        subprocess.run([self.python, "-m", "memray", "stats", "--json", "-f", "-o", target,
                        recording], check=True, capture_output=True)
        return json.loads(target.read_text())["total_num_allocations"]


class MemrayObjects(Memray):
    name = "memray --native --trace-python-allocators"

    def is_for(self, workload):
        return workload.has_objects

    def command(self, workload, folder):
        command, additions = super().command(workload, folder)
        command.insert(command.index("--native"), "--trace-python-allocators")
        return command, additions


def all_tools(build, python):
    return [Memtrace(build), MemtraceNative(build), MemtraceObjects(build, "off"),
            MemtraceObjects(build, "all"), Heaptrack(), Memray(python), MemrayObjects(python)]


def environment(additions):
    """Returns the environment of every run: fixed hashes, no settings of the tools from outside."""
    kept = {key: value for key, value in os.environ.items()
            if not key.startswith(("MEMTRACE_", "LD_PRELOAD"))}
    return {**kept, "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", **additions}
