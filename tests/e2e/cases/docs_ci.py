"""Runs docs/use/ci.md: each block in its order, in an empty folder, and compares the output with
the page."""
# slow
import os
import re
import shutil
import subprocess
import sys

from harness import BUILD, SOURCE, environment, expect, folder, require, run, skip

MARK = "@@ block"


def blocks_of(page):
    """Yields pairs of a shell block and the text after it that shows its output, or None."""
    found = re.findall(r"^```(\w+)\n(.*?)^```$", page, flags=re.M | re.S)
    for place, (language, text) in enumerate(found):
        if language == "sh":
            follows = found[place + 1] if place + 1 < len(found) else ("", "")
            yield text, follows[1] if follows[0] == "text" else None


def require_shown(shown, output):
    """Checks that each line of the page is in the output, in this order. "..." stands for any other
    lines, and at the end of a line for the rest of it."""
    lines = iter(output.splitlines())
    for wanted in shown.splitlines():
        if wanted.strip() == "...":
            continue
        begins = wanted[:-3].rstrip() if wanted.endswith("...") else None
        require(any(line.rstrip() == wanted.rstrip() if begins is None else line.startswith(begins)
                    for line in lines), f"the page shows {wanted!r}; the output is:\n{output}")


def python_with_pytest():
    """Returns the folder of the interpreter for the plugin's tests (tests/pytest/run.py)."""
    tests = os.path.join(SOURCE, "tests", "pytest")
    make = "import run, sys; print(run.make_environment(sys.executable, sys.argv[1]))"
    ended = run([sys.executable, "-c", make,
                 os.path.join(BUILD, "pytest-venv")], {**os.environ, "PYTHONPATH": tests},
                timeout=200)
    if ended.status == 77:
        skip(ended.stdout.strip())
    expect(ended.status, 0, f"making an environment ({ended.stderr[-1000:]})")
    return os.path.dirname(ended.stdout.strip())


def test():
    with open(os.path.join(SOURCE, "docs", "use", "ci.md")) as file:
        blocks = list(blocks_of(file.read()))
    where = folder()
    os.makedirs(os.path.join(where, "build"))
    os.symlink(BUILD, os.path.join(where, "build", "release"))
    shutil.copytree(os.path.join(SOURCE, "integrations"),
                    os.path.join(where, "memtrace", "integrations"))
    env = environment([])
    env["PATH"] = python_with_pytest() + os.pathsep + env["PATH"]
    script = "set -eu\n" + "".join(f"{text}\necho '{MARK}'\n" for text, _ in blocks)
    ended = run(["bash", "-c", script], env, cwd=where, timeout=200, stderr=subprocess.STDOUT)
    outputs = ended.stdout.split(MARK + "\n")
    expect(len(outputs) - 1, len(blocks), f"blocks that ended well; the last said: {outputs[-1]}")
    for (_, shown), output in zip(blocks, outputs):
        if shown is not None:
            require_shown(shown, output)
