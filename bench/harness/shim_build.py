# SPDX-License-Identifier: Apache-2.0
"""Shims that are built for a measurement only, apart from those that are shipped."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def build(name, definition, targets=("memtrace-shim",)):
    """The folder build/measured/NAME, with these targets, built with -DDEFINITION.

    Says what it does on stderr; ends the script where it cannot."""
    folder = ROOT / "build/measured" / name
    for command in (["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DBUILD_TESTING=OFF",
                     "-DCMAKE_BUILD_TYPE=RelWithDebInfo", f"-D{definition}"],
                    ["cmake", "--build", folder, "--target", *targets]):
        if subprocess.run(command, stdout=sys.stderr).returncode != 0:
            sys.exit(f"The shim could not be built in {folder}.")
    return folder
