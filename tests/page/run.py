#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Tests the HTML page in a headless Chromium:  run.py [--build DIR] [WORDS]
#
# It records story.py and its next version, and starts main.mjs, which makes their pages, with the
# packages of package-lock.json.
# Exit codes: 1 if a test failed, 77 if the browser, Node or the packages are missing.
import argparse
import hashlib
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BROWSERS = [os.environ.get("CHROMIUM", ""), "/usr/bin/chromium", "/usr/bin/chromium-browser",
            "/usr/bin/google-chrome"]


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def fetch_packages(folder):
    """Copies the tests to `folder` and fetches their packages, unless they are there."""
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(HERE):
        if name.endswith((".mjs", ".json")):
            shutil.copy(os.path.join(HERE, name), folder)
    with open(os.path.join(HERE, "package-lock.json"), "rb") as file:
        wanted = hashlib.sha256(file.read()).hexdigest()
    stamp = os.path.join(folder, "packages")
    if os.path.exists(stamp):
        with open(stamp) as file:
            if file.read() == wanted:
                return
    ended = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if ended.returncode != 0:
        skip(f"npm cannot fetch the packages: {ended.stdout.strip()[-300:]}")
    with open(stamp, "w") as file:
        file.write(wanted)


def record(build, folder, name, words, options="quiet=1"):
    """Records a program. Returns the path of the dump."""
    dump = os.path.join(folder, name)
    if os.path.exists(dump):
        os.remove(dump)
    environment = dict(os.environ, MEMTRACE_OUTPUT=dump, MEMTRACE_OPTIONS=options,
                       LD_PRELOAD=os.path.join(build, "libmemtrace.so"))
    subprocess.run(words, env=environment, check=True, stdout=subprocess.DEVNULL)
    return dump


def record_story(build, folder, name, *arguments, options="quiet=1"):
    # The executable itself, because a wrapper script would be traced too.
    python = os.path.realpath(sys.executable)
    story = os.path.join(folder, "story.py")
    shutil.copy(os.path.join(HERE, "story.py"), story)
    return record(build, folder, name,
                  [python, story, "secret-argument", "</script><b>", *arguments], options)


def record_leaky_training(build, folder):
    """Records the example of the README, where PyTorch is installed."""
    found = subprocess.run([os.path.join(ROOT, "scripts", "find-torch")], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, text=True)
    if found.returncode == 0:
        record(build, folder, "leaky_train.bin",
               [found.stdout.strip(), os.path.join(ROOT, "examples", "leaky_train.py"),
                "--steps", "60"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build/dev")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    bundle = os.path.join(build, "page")
    if not any(path and os.path.exists(path) for path in BROWSERS):
        skip("there is no Chromium")
    if shutil.which("node") is None or shutil.which("npm") is None:
        skip("Node and npm are missing")
    if not os.path.exists(os.path.join(bundle, "page.js")):
        skip("memtrace-report was built without the page")
    folder = os.path.join(build, "page-tests")
    fetch_packages(folder)
    # The last recording is that of the program as it lies there: each copies it anew.
    record_story(build, folder, "sample.bin", options="quiet=1,sample=16K")
    dump = record_story(build, folder, "story.bin")
    record_story(build, folder, "next.bin", "next")
    record(build, folder, "lost.bin", [os.path.join(build, "programs", "lost_blocks"), "exit"],
           "quiet=1,lost=exit")
    of_training = ("aNewcomerFindsThreeLeaks", "trainingKindsAreTheTerminals",
                   "trainingAdviceLeadsToItsLine", "trainingIsUsableEverywhere")
    if not options.words or any(word in name for word in options.words for name in of_training):
        record_leaky_training(build, folder)
    sys.exit(subprocess.run(["node", os.path.join(folder, "main.mjs"),
                             os.path.join(build, "memtrace-report"), dump, bundle, folder,
                             *options.words]).returncode)


main()
