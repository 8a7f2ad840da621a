# SPDX-License-Identifier: Apache-2.0
"""Builds shims for a measurement only, apart from the shim that is shipped."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def build(name, definition, targets=("memtrace-shim",)):
    """Builds these targets with -DDEFINITION and returns their folder, build/measured/NAME.

    Progress goes to stderr. Ends the script if the build fails."""
    folder = ROOT / "build/measured" / name
    for command in (["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DBUILD_TESTING=OFF",
                     "-DCMAKE_BUILD_TYPE=RelWithDebInfo", f"-D{definition}"],
                    ["cmake", "--build", folder, "--target", *targets]):
        if subprocess.run(command, stdout=sys.stderr).returncode != 0:
            sys.exit(f"The shim could not be built in {folder}.")
    return folder
