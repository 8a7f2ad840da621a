"""A program exercises each row of apis.def, and each appears in the dump under its own name."""
import os
import re

from harness import PYTHON, SOURCE, expect, reporter, run, trace


def test():
    with open(os.path.join(SOURCE, "include", "memtrace", "dump", "apis.def")) as table:
        wanted = re.findall(r"^MEMTRACE_API\(\s*\d+,\s*(\w+)", table.read(), re.M)
    text = ""
    for program in ("every_heap_function", "every_map_function"):
        traced = trace(program, same_stderr=False)
        text += run([reporter(), "text", traced.dumps[0]]).stdout
    python = trace([PYTHON, os.path.join(SOURCE, "tests", "python", "sized_objects.py")],
                   options="python_allocs=all", bare=False)
    text += run([reporter(), "text", python.dumps[0]]).stdout
    words = set(re.findall(r"\w+", text))
    # On 64-bit Linux mmap64 is another name for mmap, and programs may use either.
    expect([name for name in wanted if name not in words], [], "functions that are in no record")
