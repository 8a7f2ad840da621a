#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Checks the types and the style of the page's program (tsc, eslint):  sources.py [--build DIR]
# Exit codes: 1 if there is a finding, 77 if Node or the packages are missing.
import argparse
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WEB = os.path.join(ROOT, "analyzer", "page", "web")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build/dev")
    folder = os.path.join(os.path.abspath(parser.parse_args().build), "page-sources")
    if shutil.which("npm") is None:
        print("skipped: npm is missing")
        sys.exit(77)
    # A copy, because npm leaves its packages beside the sources.
    shutil.copytree(WEB, folder, dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns("node_modules", "dist"))
    fetch = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    ended = subprocess.run(fetch, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           text=True)
    if ended.returncode != 0:
        print(f"skipped: npm cannot fetch the packages: {ended.stdout.strip()[-300:]}")
        sys.exit(77)
    sys.exit(subprocess.run(["npm", "run", "--silent", "check"], cwd=folder).returncode)


main()
