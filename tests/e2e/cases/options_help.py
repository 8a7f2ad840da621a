"""help=1 prints each option of options.def with its default, and the program runs unrecorded."""
import os
import re

from harness import SOURCE, expect, require, trace


def test():
    traced = trace("free_on_other_thread", options="help=1", same_stderr=False)
    with open(os.path.join(SOURCE, "preload", "base", "options.def")) as table:
        rows = re.findall(r"^MEMTRACE_(?:CHOICE|FLAG|NUMBER|SIZE|TIME|SET)\((\w+), (\w+)",
                          table.read(), re.M)
    for name, value in rows:
        wanted = f"{name}={value}"
        require(wanted in traced.stderr, f"{wanted} is not listed:\n{traced.stderr}")
    expect(traced.dumps, [], "dumps")
