"""The table of docs/use/options.md has the options that help=1 prints, with the same defaults."""
import os
import re

from harness import SOURCE, expect, require, trace


def test():
    traced = trace("free_on_other_thread", options="help=1", same_stderr=False)
    printed = dict(re.findall(r"^  (\w+)=(\S+) ", traced.stderr, re.M))
    require(printed, f"help=1 lists no option:\n{traced.stderr}")
    with open(os.path.join(SOURCE, "docs", "use", "options.md")) as page:
        rows = re.findall(r"^\| `(\w+)` \| `([^`]*)` \|", page.read(), re.M)
    expect(len(dict(rows)), len(rows), "options with a row of their own")
    expect(dict(rows), printed, "options of the page")
