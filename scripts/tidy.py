#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the rules of this repository that a machine can check: `scripts/tidy.py [LIBRARY]`.

Each finding is one line, "file:line: what is wrong; what to do". The exit code is 1 if there is a
finding. LIBRARY is a built libmemtrace.so; without it, all built libraries in build/ are checked.
The rules for rooms and file names are in tidy_rooms.py. docs/how/style.md gives the reasons for
the rules.
"""

import ast
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

import tidy_rooms
from tidy_rules import (ARROWS, BLOB_BYTES_MAX, CODE, COLUMNS_MAX, CPP, FOLDER_OF_INPUTS,
                        FOLDERS_OF_TESTS, FORBIDDEN, FORMAT_VERSION, FUNCTION_LINES_MAX,
                        LARGE_FILES_ALLOWED, LINES_MAX, PLAIN_RETURNS_MAX, PROGRAMS,
                        TESTED_ELSEWHERE)

ROOT = pathlib.Path(__file__).resolve().parent.parent
findings, warnings, notes = [], [], []


def finding(path, line, text):
    findings.append(f"{path}:{line}: {text}")


def tracked_files():
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        names = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True, text=True).stdout
        paths = map(pathlib.PurePath, filter(None, names.split("\0")))
    except (OSError, subprocess.CalledProcessError):  # a source archive, without git
        paths = [path.relative_to(ROOT) for path in ROOT.rglob("*")
                 if not {"build", ".venv", ".git", "__pycache__"} & set(path.parts)]
    return sorted({path for path in paths if (ROOT / path).is_file()})


def without_comments_and_strings(text):
    """Returns C++ text with blanked comments and literals. Line numbers stay the same."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\''
    digits = r"(?<=\d)'(?=\d)"
    return re.sub(pattern, lambda found: re.sub(r"[^\n]", " ", found.group()),
                  re.sub(digits, "_", text), flags=re.S)


def check_text(path, text):
    is_code = path.suffix in CODE or (path.suffix == "" and text.startswith("#!"))
    if text and not text.endswith("\n"):
        finding(path, text.count("\n") + 1, "no newline at the end; add one")
    if is_code and text.count("\n") > LINES_MAX:
        finding(path, LINES_MAX + 1, f"more than {LINES_MAX} lines; give a subject its own file")
    for number, line in enumerate(text.splitlines(), start=1):
        if "\t" in line and path.suffix != ".md":
            finding(path, number, "a tab; use spaces")
        if line != line.rstrip() and path.suffix != ".md":
            finding(path, number, "spaces at the end of the line; remove them")
        stated = path.parent.name == "programs" and re.match(r"(//|#) (truth|run)\b", line)
        if is_code and len(line) > COLUMNS_MAX and not stated:
            finding(path, number, f"{len(line)} columns; break the line at {COLUMNS_MAX}")
        if is_code and re.search(r"\b(FIX" r"ME|XX" r"X|TO" r"DO)\b", line):
            finding(path, number, "a note to oneself; do it, or write an issue")


def check_first_line(path, text):
    first = text.split("\n", 1)[0]
    if path.suffix not in CPP:
        return
    if path.suffix == ".def" or path.parts[:2] in (("tests", "programs"), ("tests", "oracle")):
        if not first.startswith(("//", "/*")):
            finding(path, 1, "does not begin with a comment; say what the file is for")
    elif "SPDX-License-Identifier: Apache-2.0" not in first:
        finding(path, 1, "begin with `// SPDX-License-Identifier: Apache-2.0`")


def check_includes_and_words(path, text):
    folder = path.parts[0]
    if path.suffix not in CPP or folder not in ARROWS:
        return
    pattern, reason = ARROWS[folder]
    for match in re.finditer(rf"^\s*#\s*include\s*(?:{pattern})", text, flags=re.M):
        line = text.count("\n", 0, match.start()) + 1
        finding(path, line, f"an include that points the wrong way: {reason}")
    if folder == "preload":
        code = re.sub(r"^[ \t]*#.*", "", without_comments_and_strings(text), flags=re.M)
        for word, instead in FORBIDDEN.items():
            for match in re.finditer(word, code):
                finding(path, code.count("\n", 0, match.start()) + 1,
                        f"`{match.group().strip()}` is not for the shim; use {instead}")


def check_functions(path, text):
    """Warns of long functions. They are worth a look, but no failure."""
    extents = []
    if path.suffix == ".py":
        extents = [(node.lineno, node.end_lineno) for node in ast.walk(ast.parse(text))
                   if isinstance(node, ast.FunctionDef)]
    elif path.suffix in (".cpp", ".h", ".c"):
        begins = r"^(?!namespace|extern|struct|class|enum|union|inline constexpr)[^\s}].*\{$"
        for match in re.finditer(begins + r"(?s:.*?)^\}", text, flags=re.M):
            first = text.count("\n", 0, match.start()) + 1
            extents.append((first, first + match.group().count("\n")))
    for first, last in extents:
        if last - first >= FUNCTION_LINES_MAX:
            warnings.append(f"{path}:{first}: warning: a function of {last - first + 1} lines; "
                            f"{FUNCTION_LINES_MAX} are easier to read")


def clang_format():
    """Returns the command of the clang-format that .clang-format is for, or None."""
    for name in (f"clang-format-{FORMAT_VERSION}", "clang-format"):
        if shutil.which(name):
            version = subprocess.run([name, "--version"], capture_output=True, text=True).stdout
            if re.search(rf"\bversion {FORMAT_VERSION}\.", version):
                return name
    return None


def check_format(paths):
    """Each source is as clang-format makes it."""
    command = clang_format()
    if command is None:
        notes.append(f"tidy: clang-format {FORMAT_VERSION} is not installed; "
                     "formatting was not checked")
        return
    names = [str(path) for path in paths if path.suffix in (".h", ".cpp", ".c")]

    def complaints(names):
        run = [command, "--dry-run", *names]
        return subprocess.run(run, cwd=ROOT, capture_output=True, text=True).stderr

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = pool.map(complaints, [names[at:at + 50] for at in range(0, len(names), 50)])
    first = {}
    for name, line in re.findall(r"^(\S+):(\d+):\d+: warning: ", "".join(parts), flags=re.M):
        first.setdefault(name, line)
    for name, line in first.items():
        finding(name, line, f"not as {command} makes it; run {command} -i {name}")


def unit_test_of(path):
    """Returns the path of the unit test that a source has by its name, or None."""
    for folder, tests in FOLDERS_OF_TESTS.items():
        if path.is_relative_to(folder):
            name = path.relative_to(folder).with_name(f"{path.stem}_test.cpp")
            return pathlib.PurePath(tests, name)
    return None


def check_tests(texts):
    for path, text in texts.items():
        wanted = unit_test_of(path)
        if wanted is None or path.suffix not in (".cpp", ".h"):
            continue
        if path.suffix == ".h":  # Headers count if they have code and no source file.
            code = without_comments_and_strings(text)
            if path.with_suffix(".cpp") in texts or code.count("return ") <= PLAIN_RETURNS_MAX:
                continue
        if wanted in texts and str(path) in TESTED_ELSEWHERE:
            finding(path, 1, "has a test now; remove its row from TESTED_ELSEWHERE")
        if wanted not in texts and not any(path.match(name) for name in TESTED_ELSEWHERE):
            finding(path, 1, f"has no test; write {wanted}")
    for name in TESTED_ELSEWHERE:
        if not any(path.match(name) for path in texts):
            finding("scripts/tidy_rules.py", 1, f"TESTED_ELSEWHERE names {name}, which is gone")


def check_table(texts):
    """apis.def = exports.map = hooks = tested functions. Returns the exported names."""
    apis = pathlib.PurePath("include/memtrace/dump/apis.def")
    rows = re.findall(r"^MEMTRACE_API\(\s*\d+,\s*(\w+),.*\b(\w+)\)", texts[apis], flags=re.M)
    # The interpreter's functions are in its own tables; the shim exports no symbols for them.
    watched = [name for name, provider in rows if provider != "python"]
    exported = re.findall(r"(\w+)\*?;", texts[pathlib.PurePath("preload/hooks/exports.map")])
    export = r"^MEMTRACE_EXPORT [^(]*?(\w+)\(|^MEMTRACE_LOOK_UP_STUB\(\"(\w+)"
    hooks = {path.name: map("".join, re.findall(export, text, flags=re.M))
             for path, text in texts.items() if path.parts[0] == "preload"}
    defined = set().union(*hooks.values())
    exported = set(exported) - {"memtrace_"}
    programs = " ".join(text for path, text in texts.items() if path.parts[0] == "tests")
    for name in watched:
        if name not in exported:
            finding("preload/hooks/exports.map", 1,
                    f"does not export {name}, a row of apis.def; add it")
        if name not in defined:
            finding(apis, 1, f"{name} has no hook in preload/hooks/hooks_*.cpp")
        if not re.search(rf"\b{name}\b", programs):
            finding(apis, 1, f"no test in tests/ calls {name}")
    objects = texts[pathlib.PurePath("preload/objects/python_objects.cpp")]
    for name in {name for name, provider in rows if provider == "python"}:
        if f"Api::{name}" not in objects:
            finding(apis, 1, f"preload/objects/python_objects.cpp lacks {name}")
        if not re.search(rf"\b{name}\b", programs):
            finding(apis, 1, f"no test in tests/ calls {name}")
    doors = texts[pathlib.PurePath("preload/cuda/cupti_functions.def")]
    defined |= set(re.findall(r"^MEMTRACE_CUPTI_DOOR\((\w+)", doors, flags=re.M))
    ranges = texts[pathlib.PurePath("preload/nvtx/nvtx_functions.def")]
    defined |= {f"nvtx{name}" for name in
                re.findall(r"^MEMTRACE_NVTX\(\w+, \d+, (\w+)", ranges, flags=re.M)}
    for name in exported - set(watched) - defined:
        finding("preload/hooks/exports.map", 1, f"exports {name}, which is neither a row of "
                "apis.def nor a hook of preload/hooks/hooks_*.cpp")
    public = texts[pathlib.PurePath("include/memtrace/memtrace.h")]
    marks = set(re.findall(r"\b(?:void|int) (memtrace_\w+)\(", public))
    return exported | marks | check_driver_table(texts, programs)


def check_driver_table(texts, programs):
    """gpu_apis.def = cuda_entries.def = tested functions, and the same for the runtime library.
    Returns the names that are exported. exports.map names them by a pattern."""
    exported = set()
    for apis_name, row, entries_name, kind in (
            ("include/memtrace/dump/gpu_apis.def", "GPU_API",
             "preload/cuda/cuda_entries.def", "CUDA"),
            ("include/memtrace/dump/cudart_apis.def", "CUDART_API",
             "preload/cuda/cudart_entries.def", "CUDART")):
        table, entries = (texts[pathlib.PurePath(name)] for name in (apis_name, entries_name))
        apis = set(re.findall(rf"^MEMTRACE_{row}\(\s*\d+,\s*(\w+)", table, flags=re.M))
        spellings = dict(re.findall(rf"^MEMTRACE_{kind}_ENTRY\((\w+),\s*(\w+)", entries,
                                    flags=re.M))
        for api in sorted(apis - set(spellings.values())):
            finding(apis_name, 1, f"{api} has no row in {entries_name}")
        for spelling, api in spellings.items():
            if api not in apis:
                finding(entries_name, 1, f"{spelling}: {api} is not in {apis_name}")
            if not re.search(rf"\b{spelling}\(", programs):
                finding(entries_name, 1, f"no test in tests/ calls {spelling}")
        exported |= set(spellings)
        exported |= set(re.findall(rf"^MEMTRACE_{kind}_DOOR\((\w+)", entries, flags=re.M))
    return exported


def check_library(library, exported):
    def lines(*command):
        command = [*command, str(library)]
        return subprocess.check_output(command, text=True).splitlines()

    present = {line.split()[-1].split("@")[0] for line in lines("nm", "-D", "--defined-only")}
    for name in sorted(present ^ exported):
        finding(library, 1, f"exports {name}, which exports.map does not name" if name in present
                else f"does not export {name}, which exports.map names; build it again")
    for line in lines("nm", "-D", "--undefined-only"):
        kind, name = line.split()[-2:]
        if kind == "U" and "@GLIBC_" not in name:
            finding(library, 1, f"needs {name}, which is not glibc's; link it in or do without")
    for line in lines("readelf", "-dW"):
        needed = re.search(r"\(NEEDED\).*\[(.+)\]", line)
        if needed and not re.match(r"(lib(c|m|dl|pthread)|ld-linux[\w-]*)\.so\.", needed[1]):
            finding(library, 1, f"needs {needed[1]} at load time; only glibc may be needed")


def check_orphans(texts):
    for path in texts:
        if path.suffix in (".h", ".def"):
            in_room = path.parts[0] in PROGRAMS  # two programs may have a header of one name
            name = rf'["/]{re.escape("/".join(path.parts[-2:] if in_room else path.parts[-1:]))}"'
        elif path.parts[0] in ("docs", "scripts", "examples", "bench", "cmake"):
            name = rf"\b{re.escape(path.stem if path.suffix == '.py' else path.name)}\b"
        else:
            continue
        if not any(re.search(name, text) for other, text in texts.items() if other != path):
            finding(path, 1, "nothing names this file; link it, include it, or remove it")


def main():
    texts = {}
    for path in tracked_files():
        data = (ROOT / path).read_bytes()
        if len(data) > BLOB_BYTES_MAX and str(path) not in LARGE_FILES_ALLOWED:
            finding(path, 1, "a large file; let a test make it, or name it in LARGE_FILES_ALLOWED")
        if path.is_relative_to(FOLDER_OF_INPUTS):
            continue
        try:
            texts[path] = data.decode()
        except UnicodeDecodeError:
            continue  # a dump or a binary fixture
    for path, text in texts.items():
        check_text(path, text)
        check_first_line(path, text)
        check_includes_and_words(path, text)
        check_functions(path, text)
    check_format(texts)
    check_tests(texts)
    check_orphans(texts)
    for found in tidy_rooms.check(texts):
        finding(*found)
    exported = check_table(texts)
    for library in sys.argv[1:] or sorted(ROOT.glob("build/*/libmemtrace.so")):
        check_library(library, exported)
    remarks = sorted(findings) + sorted(warnings) or ["tidy: nothing to remark"]
    print("\n".join(remarks + notes), flush=True)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
