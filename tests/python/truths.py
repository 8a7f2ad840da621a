#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Python's part of stacks, as the shim records it, against what programs note of themselves:

    truths.py --build DIR --version 3.12 [--walks N] [NAME...]
    truths.py --build DIR --python PATH [--root FOLDER] ...       this one, perhaps in a chroot

Runs truth_stories.py and each program of truths/ bare and under the shim. The exit code and stdout
must be the same, and truth-check must find each allocation as noted. The first lines of a program
contain its requirements:

    # python: -X dev          arguments of the interpreter
    # env: PYTHONMALLOC=debug
    # allow: finalizing       a gap that is allowed in its stacks
    # unfinished: 4           number of notes that may have no allocation (stopped threads)
    # repeat: 20              number of runs
    # exit: 3                 its exit code

The exit code is 77, with a line that says so, if there is no such interpreter here. A program that
ends with 77 and a line on stdout is skipped with that reason.
"""

import argparse
import glob
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from interpreters import find_interpreters
from run import FOLDER


class Failed(Exception):
    pass


def in_one_line(said):
    """Returns the sums of truth-check's output for several processes."""
    sums = {}
    for line in said:
        for number, what in re.findall(r"(\d+) ([a-z][a-z ]*)", line):
            sums[what] = sums.get(what, 0) + int(number)
    processes = f"{len(said)} processes: " if len(said) > 1 else ""
    return processes + ", ".join(f"{number:,} {what}" for what, number in sums.items())


class Told:
    """A program and its requirements."""

    def __init__(self, path, *arguments):
        self.path, self.arguments = path, arguments
        self.name = path.stem
        self.python, self.env, self.allow, self.unfinished, self.repeat = [], {}, [], 0, 1
        self.exit = self.crashes = 0
        for line in path.read_text().splitlines():
            found = re.match(r"# (python|env|allow|unfinished|repeat|crashes|exit): (.*)", line)
            if not found:
                continue
            key, words = found.group(1), found.group(2).split()
            if key == "python":
                self.python = words
            elif key == "env":
                self.env = dict(word.split("=", 1) for word in words)
            elif key == "allow":
                self.allow = words
            elif key == "unfinished":
                self.unfinished = int(words[0])
            elif key == "crashes":
                self.crashes = int(words[0])
            elif key == "exit":
                self.exit = int(words[0])
            else:
                self.repeat = int(words[0])


    def command(self, interpreter, programs, build):
        path = programs / self.path.relative_to(FOLDER)
        return [interpreter, *self.python, str(path), *self.arguments]


class Embedded(Told):
    """truth_embed, which loads the interpreter's library itself, and its script."""

    def __init__(self, library, mode):
        super().__init__(FOLDER / "embedded.py")
        self.name, self.library, self.mode = "embedded_" + mode, str(library), mode
        self.env = {"PYTHONHOME": str(library.parent.parent), "TRUTH_WITHOUT_CTYPES": "1"}
        if mode == "linked":
            self.env["LD_PRELOAD"] = self.library

    def command(self, interpreter, programs, build):
        return [str(build / "truth-embed"), self.library, self.mode, str(self.path), "3"]


def embedded(interpreter, version):
    """Returns a list of Embedded. It is empty if the interpreter is not a library."""
    version = version or re.search(r"\d+\.\d+", str(pathlib.Path(interpreter).resolve())).group()
    library = pathlib.Path(interpreter).resolve().parent.parent / "lib" / (
        f"libpython{version}.so.1.0")
    if not library.exists():
        print("  embedded                skipped: this interpreter is no shared library")
        return []
    return [Embedded(library, mode) for mode in ("local", "global", "linked")]


class Teller:
    """Runs programs with an interpreter of this system, or of the system in the folder `root`."""

    def __init__(self, build, interpreter, root):
        self.build, self.interpreter, self.root = pathlib.Path(build), str(interpreter), root
        self.programs = FOLDER
        self.libraries = self.build
        self.packages = [os.environ["PYTHONPATH"]] if "PYTHONPATH" in os.environ else []
        if root:
            inside = pathlib.Path(root, "truths")
            shutil.rmtree(inside, ignore_errors=True)
            shutil.copytree(FOLDER, inside)
            for name in ("libmemtrace.so", "python-bounce.so"):
                shutil.copy(self.build / name, inside)
            self.programs = self.libraries = pathlib.Path("/truths")
            self.packages = []

    def run(self, told, folder, preload):
        """Runs a program in `folder`, a path of this system; again if CPython crashed by itself."""
        for _ in range(told.crashes):
            result = self.run_once(told, folder, preload)
            if result.returncode != -signal.SIGSEGV:
                return result
            print(f"  {told.name:24} crashed {'under' if preload else 'without'} the shim, as it "
                  f"does at times; once more")
            for path in glob.glob(f"{folder}/*"):
                os.remove(path)
        return self.run_once(told, folder, preload)

    def run_once(self, told, folder, preload):
        inside = "/" + os.path.relpath(folder, self.root) if self.root else folder
        env = {key: value for key, value in os.environ.items()
               if key not in ("LD_PRELOAD", "PYTHONMALLOC") and not key.startswith("MEMTRACE_")}
        env.update(told.env)
        env.update({"PYTHONDONTWRITEBYTECODE": "1", "TRUTHS": f"{inside}/truth",
                    "PYTHONPATH": os.pathsep.join([str(self.programs), *self.packages]),
                    "TRUTH_BOUNCE": str(self.libraries / "python-bounce.so")})
        command = told.command(self.interpreter, self.programs, self.build)
        if preload:
            others = [env["LD_PRELOAD"]] if "LD_PRELOAD" in env else []
            shim = str(self.libraries / "libmemtrace.so")
            env.update({"LD_PRELOAD": ":".join([shim, *others]),
                        "MEMTRACE_OUTPUT": f"{inside}/dump.%p"})
        enter = (lambda: (os.chroot(self.root), os.chdir(inside))) if self.root else None
        try:
            return subprocess.run(command, env=env, cwd=None if self.root else folder,
                                  preexec_fn=enter, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, timeout=1200)
        except subprocess.TimeoutExpired:
            raise Failed(f"{told.name} does not end, {'' if preload else 'not '}under the shim")

    def new_folder(self):
        return tempfile.mkdtemp(prefix="truths-", dir=f"{self.root}/tmp" if self.root else None)

    def tell(self, told):
        """Runs a program. Returns truth-check's output, or the reason why it was skipped."""
        folder = self.new_folder()
        bare = self.run(told, folder, False)
        shutil.rmtree(folder)
        if bare.returncode == 77:
            return "skipped: " + bare.stdout.strip().splitlines()[-1]
        if bare.returncode != told.exit:
            raise Failed(f"ended with {bare.returncode} without the shim\n{bare.stderr[-2000:]}")
        said = ""
        for _ in range(told.repeat):
            folder = self.new_folder()
            said = self.tell_once(told, bare, folder)
            shutil.rmtree(folder)
        return said

    def tell_once(self, told, bare, folder):
        traced = self.run(told, folder, True)
        if (traced.returncode, traced.stdout) != (bare.returncode, bare.stdout):
            raise Failed(f"ended with {traced.returncode}, not {bare.returncode}; in {folder}\n"
                         f"{traced.stdout}{traced.stderr[-2000:]}\ninstead of\n"
                         f"{bare.stdout}{bare.stderr[-2000:]}")
        said = []
        truths = {}
        for path in glob.glob(f"{folder}/truth.*"):
            truths.setdefault(int(path.rsplit(".", 2)[1]), []).append(path)
        for pid, notes in sorted(truths.items()):
            dump = f"{folder}/dump.{pid}"
            if not os.path.exists(dump):
                raise Failed(f"there is no {dump}: {traced.stderr[-2000:]}")
            said.append(self.check(told, dump, notes))
            if told.arguments and pid == min(truths):
                self.expect_that_it_can_fail(told, dump, notes)
        if not said:
            raise Failed(f"nothing was noted; in {folder}\n{traced.stderr[-2000:]}")
        return in_one_line(said)

    def expect_that_it_can_fail(self, told, dump, notes):
        """Checks that a changed line, a missing frame or a missing note is found."""
        text = pathlib.Path(notes[0]).read_text(errors="surrogateescape")
        changes = {"line": re.sub(r"f\t(\d+)\t\d+\t", r"f\t\1\t999999\t", text, count=1),
                   "frame": re.sub(r"^(a .*) \d+$", r"\1", text, count=1, flags=re.MULTILINE),
                   "note": re.sub(r"^a .*\n", "", text, count=1, flags=re.MULTILINE),
                   "bounced": re.sub(r"\.bounced$", ".thrown", text, flags=re.MULTILINE)}
        for what, changed in changes.items():
            other = pathlib.Path(notes[0] + "." + what)
            if changed == text:
                continue  # 3.10 and older have no qualified names to change.
            other.write_text(changed, errors="surrogateescape")
            try:
                self.check(told, dump, [*notes[1:], str(other)])
            except Failed:
                continue
            raise Failed(f"truth-check does not see that a {what} differs")

    def check(self, told, dump, notes):
        command = [self.build / "truth-check", "--unfinished", str(told.unfinished)]
        for gap in told.allow:
            command += ["--allow", gap]
        result = subprocess.run([*command, dump, *notes], stdout=subprocess.PIPE, text=True,
                                stderr=subprocess.STDOUT)
        if result.returncode != 0:
            raise Failed(f"truth-check ended with {result.returncode}, of {dump}\n{result.stdout}")
        return result.stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--version", default="")
    parser.add_argument("--python", help="this interpreter instead of those that are found")
    parser.add_argument("--root", help="the folder of another system, whose interpreter it is")
    parser.add_argument("--walks", type=int, default=1000)
    parser.add_argument("name", nargs="*")
    arguments = parser.parse_args()
    interpreters = ([arguments.python] if arguments.python
                    else find_interpreters(arguments.version))
    if not interpreters:
        print(f"skipped: there is no Python {arguments.version} with ctypes here")
        return 77
    stories = Told(FOLDER / "truth_stories.py", "truths", str(arguments.walks))
    programs = [Told(path) for path in sorted(FOLDER.glob("truths/*.py"))]
    failed = False
    for interpreter in interpreters:
        print(interpreter, flush=True)
        teller = Teller(os.path.abspath(arguments.build), interpreter, arguments.root)
        programs_here = [stories, *programs]
        if not arguments.root:
            programs_here += embedded(interpreter, arguments.version)
        for told in programs_here:
            if arguments.name and told.name not in arguments.name:
                continue
            begin = time.time()
            try:
                said = teller.tell(told)
            except Failed as error:
                said, failed = f"FAILED: {error}", True
            print(f"  {told.name:24}{time.time() - begin:6.1f} s  {said}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
