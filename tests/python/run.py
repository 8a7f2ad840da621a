#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tells stories.py on one interpreter: run.py --library LIB --version 3.12 [--walks N]
                                     [--embed EXE]

EXE gets the path of the interpreter's library, if there is one, and loads it locally. The
interpreter is searched in ~/.pyenv/versions, then as python3.12 on the path. If there is none, the
exit code is 77 and a line says so.
"""

import argparse
import os
import pathlib
import subprocess
import sys

from interpreters import find_interpreters

FOLDER = pathlib.Path(__file__).resolve().parent


def run_embedded(program, interpreter, version, library):
    prefix = interpreter.resolve().parent.parent
    shared = prefix / "lib" / f"libpython{version}.so.1.0"
    if not shared.exists():
        print("embedded: skipped: this interpreter is no shared library")
        return 0
    result = subprocess.run([program, shared, library],
                            env={**os.environ, "PYTHONHOME": str(prefix)}, timeout=60)
    print("embedded:", "fine" if result.returncode == 0 else f"exit code {result.returncode}")
    return result.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--library", required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--walks", type=int, default=5000)
    parser.add_argument("--embed")
    parser.add_argument("story", nargs="*")
    arguments = parser.parse_args()
    interpreters = find_interpreters(arguments.version)
    if not interpreters:
        print(f"skipped: there is no Python {arguments.version} with ctypes here")
        return 77
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    code = 0
    for interpreter in interpreters:
        print(interpreter, flush=True)
        result = subprocess.run([interpreter, FOLDER / "stories.py", arguments.library,
                                 str(arguments.walks), *arguments.story], env=environment)
        code = code or result.returncode
        if arguments.embed:
            code = code or run_embedded(arguments.embed, interpreter, arguments.version,
                                        arguments.library)
    return code


if __name__ == "__main__":
    sys.exit(main())
