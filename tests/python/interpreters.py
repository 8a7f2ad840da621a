# SPDX-License-Identifier: Apache-2.0
"""Finds the Python interpreters that tests request by version."""

import pathlib
import shutil
import subprocess


def find_interpreters(version):
    """Returns those of pyenv and of the system, which are built differently."""
    found = sorted(pathlib.Path.home().glob(f".pyenv/versions/{version}.*/bin/python3"))
    system = shutil.which(f"python{version}", path="/usr/bin:/usr/local/bin")
    candidates = found[-1:] + ([pathlib.Path(system)] if system else [])
    return [path for path in candidates if subprocess.run(
        [path, "-c", "import ctypes"], stderr=subprocess.DEVNULL).returncode == 0]
