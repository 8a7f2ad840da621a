# Does what GitHub and GitLab do with the integration files: bash runs the text of their steps, with
# the environment that they would set.
import os
import re
import subprocess

import harness
from harness import BUILD, SOURCE, environment, folder, skip


def read_yaml(*path):
    try:
        import yaml
    except ImportError:
        skip("there is no PyYAML (Debian: python3-yaml)")
    with open(os.path.join(SOURCE, *path)) as file:
        return yaml.safe_load(file)


def checkout():
    """Returns a folder like a checkout of memtrace after a build."""
    where = os.path.join(folder(), "memtrace")
    os.makedirs(os.path.join(where, "build"))
    os.symlink(BUILD, os.path.join(where, "build", "release"))
    for name in ("scripts", "integrations", "action.yml"):
        os.symlink(os.path.join(SOURCE, name), os.path.join(where, name))
    return where


def bash(text, env, cwd):
    """Runs a step as both do."""
    return harness.run(["bash", "-eo", "pipefail", "-c", text], env, cwd=cwd, timeout=120)


def expressions(text, values):
    """Replaces ${{ inputs.x }} and similar expressions from a table."""
    return re.sub(r"\$\{\{\s*([\w.]+)\s*\}\}", lambda found: values[found[1]], text)


def compile_c(source, program):
    subprocess.run(["cc", "-g", "-O0", source, "-o", program], check=True)


LEAKS = """
#include <stdlib.h>
int main(int count, char** words) {
    char* block = malloc(123456);
    block[0] = 'a';
    if (count == 1) free(block);
    return 0;
}
"""


def project():
    """Returns a folder with a program that leaks 123,456 bytes if it gets an argument."""
    where = folder()
    with open(os.path.join(where, "leaks.c"), "w") as file:
        file.write(LEAKS)
    compile_c(os.path.join(where, "leaks.c"), os.path.join(where, "leaks"))
    return where


def plain_environment(**more):
    return environment([], {key: str(value) for key, value in more.items()})
