"""The shim exports the functions of apis.def, those of CUDA's driver and runtime library in
cuda_entries.def and cudart_entries.def, the process hooks of exports.map, and memtrace_*, and
nothing else."""
import os
import re

from harness import SOURCE, expect, run, shim


def names_of_table():
    with open(os.path.join(SOURCE, "include", "memtrace", "dump", "apis.def")) as table:
        rows = re.findall(r"^MEMTRACE_API\(\s*\d+,\s*(\w+),.*\b(\w+)\)", table.read(), re.M)
    # The interpreter's are functions in its tables, not symbols of the shim.
    return {name for name, provider in rows if provider != "python"}


def names_of_cuda():
    names = set()
    for table in ("cuda_entries.def", "cudart_entries.def"):
        with open(os.path.join(SOURCE, "preload", "cuda", table)) as file:
            names |= set(re.findall(r"^MEMTRACE_CUDA(?:RT)?_(?:ENTRY|DOOR)\((\w+)", file.read(),
                                    re.M))
    return names


def test():
    with open(os.path.join(SOURCE, "preload", "hooks", "exports.map")) as file:
        listed = re.search(r"global:(.*?)local:", file.read(), re.S).group(1)
    allowed = set(re.findall(r"[\w*]+", re.sub(r"cu\w*\[A-Z\]\*;", "", listed)))
    allowed |= names_of_cuda()
    exported = {line.split()[-1].split("@")[0]
                for line in run(["nm", "-D", "--defined-only", shim()]).stdout.splitlines()}
    own = {name for name in exported if name.startswith("memtrace_")}
    expect(sorted(names_of_table() - exported), [], "in the table, but not exported")
    expect(sorted(exported - own - allowed), [], "exported, but not in exports.map")
    expect(sorted(allowed - exported - {"memtrace_*"}), [], "in exports.map, but not exported")
