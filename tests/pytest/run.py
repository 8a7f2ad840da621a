#!/usr/bin/env python3
# Runs the tests of the pytest plugin in a virtual environment of their own:
#
#   run.py [--build DIR] [--version X.Y] [WORDS]
#
# The environment stays in the build folder. It is made again if requirements.txt or the interpreter
# changes. WORDS are for pytest. Exit codes: pytest's, or 77 if PyPI cannot be reached or no
# interpreter of that version exists.
import argparse
import hashlib
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
from interpreters import find_interpreters  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
PLUGIN = os.path.join(os.path.dirname(os.path.dirname(HERE)), "integrations", "pytest")
REQUIREMENTS = os.path.join(HERE, "requirements.txt")


def stamp_of(python):
    with open(REQUIREMENTS, "rb") as file:
        return hashlib.sha256(file.read() + python.encode() + sys.version.encode()).hexdigest()


def pip(python, *words):
    ended = subprocess.run([python, "-m", "pip", "--disable-pip-version-check", "install", "-q",
                            *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if ended.returncode != 0:
        print(f"skipped: pip cannot install {words[-1]}: {ended.stdout.strip()[-300:]}")
        sys.exit(77)


def make_environment(interpreter, folder):
    """Makes a virtual environment with requirements.txt. Returns its interpreter."""
    python = os.path.join(folder, "bin", "python")
    stamp = os.path.join(folder, "stamp")
    wanted = stamp_of(os.path.realpath(interpreter))
    if os.path.exists(stamp):
        with open(stamp) as file:
            if file.read() == wanted:
                return python
    subprocess.run([interpreter, "-m", "venv", "--clear", folder], check=True)
    pip(python, "-r", REQUIREMENTS)
    with open(stamp, "w") as file:
        file.write(wanted)
    return python


def install_plugin(python, folder):
    """Installs from a copy, because pip leaves its own files beside the sources."""
    copy = os.path.join(folder, "plugin")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(PLUGIN, copy, ignore=shutil.ignore_patterns("*.egg-info", "__pycache__"))
    pip(python, "--no-build-isolation", "--no-deps", "--force-reinstall", copy)


def main():
    parser = argparse.ArgumentParser(description="Tests the pytest plugin of memtrace.")
    parser.add_argument("--build", default="build/dev", help="where memtrace is (build/dev)")
    parser.add_argument("--version", help="of Python; otherwise that of this interpreter")
    arguments, more = parser.parse_known_args()
    build = os.path.abspath(arguments.build)
    folder = os.path.join(build, "pytest-venv")
    interpreter = sys.executable
    if arguments.version:
        folder += "-" + arguments.version
        found = find_interpreters(arguments.version)
        if not found:
            print(f"skipped: no Python {arguments.version} is here")
            sys.exit(77)
        interpreter = found[0]
    python = make_environment(interpreter, folder)
    install_plugin(python, folder)
    environment = {key: value for key, value in os.environ.items()
                   if key != "LD_PRELOAD" and not key.startswith(("MEMTRACE_", "PYTEST_"))}
    environment["PATH"] = os.pathsep.join([build, os.path.dirname(python), environment["PATH"]])
    sys.exit(subprocess.run([python, "-m", "pytest", "-p", "no:cacheprovider", "-q", HERE, *more],
                            cwd=HERE, env=environment).returncode)


if __name__ == "__main__":
    main()
