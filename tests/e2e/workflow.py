# Does what GitHub and GitLab do with the integration files: bash runs the text of their steps, with
# the environment that they would set.
import functools
import os
import re
import shutil
import subprocess
import zipfile

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
    for name in ("scripts", "integrations", "action.yml", "CMakeLists.txt"):
        os.symlink(os.path.join(SOURCE, name), os.path.join(where, name))
    return where


def version():
    with open(os.path.join(SOURCE, "CMakeLists.txt")) as file:
        return re.search(r"^project\(memtrace VERSION ([0-9.]+)", file.read(), flags=re.M)[1]


def entry_points(project):
    """Returns the entry points of a pyproject.toml, as a wheel has them."""
    sections = {"console_scripts": project["scripts"], **project["entry-points"]}
    return "".join(f"[{name}]\n" + "".join(f"{key} = {value}\n" for key, value in rows.items())
                   for name, rows in sections.items())


def wheel(where):
    """Makes the wheel of this build, as scripts/wheel does from a build for old systems."""
    try:
        import tomllib
    except ImportError:
        skip("this Python has no tomllib (3.11 has)")
    python = os.path.join(SOURCE, "integrations", "python")
    with open(os.path.join(python, "pyproject.toml"), "rb") as file:
        found = tomllib.load(file)["project"]
    info = f"libmemtrace-{version()}.dist-info"
    extras = "".join(f"Provides-Extra: {extra}\n" + "".join(
        f"Requires-Dist: {need}; extra == '{extra}'\n" for need in needs)
        for extra, needs in found["optional-dependencies"].items())
    texts = {
        "METADATA": f"Metadata-Version: 2.1\nName: libmemtrace\nVersion: {version()}\n{extras}",
        "WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "entry_points.txt": entry_points(found), "RECORD": ""}
    path = os.path.join(where, f"libmemtrace-{version()}-py3-none-any.whl")
    with zipfile.ZipFile(path, "w") as archive:
        for source in (python, os.path.join(SOURCE, "integrations", "pytest")):
            for place, _, names in os.walk(os.path.join(source, "src")):
                for name in names:
                    file = os.path.join(place, name)
                    if "__pycache__" not in place:
                        archive.write(file, os.path.relpath(file, os.path.join(source, "src")))
        for name in ("memtrace", "memtrace-report", "libmemtrace.so"):
            stripped = os.path.join(where, name)
            subprocess.run(["strip", "-o", stripped, os.path.join(BUILD, name)], check=True)
            archive.write(stripped, f"libmemtrace/bin/{name}")
            os.unlink(stripped)
        for name, text in texts.items():
            archive.writestr(f"{info}/{name}", text)


@functools.cache
def index():
    """Returns the environment in which pip installs the wheel of this build, from a local index."""
    if shutil.which("strip") is None:
        skip("there is no strip")
    where = folder()
    package = os.path.join(where, "simple", "libmemtrace")
    os.makedirs(package)
    wheel(package)
    with open(os.path.join(package, "index.html"), "w") as file:
        file.writelines(f'<a href="{name}">{name}</a>\n' for name in os.listdir(package)
                        if name.endswith(".whl"))
    return {"PIP_INDEX_URL": f"file://{where}/simple", "PIP_CONFIG_FILE": os.devnull,
            "PIP_NO_CACHE_DIR": "1"}


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
