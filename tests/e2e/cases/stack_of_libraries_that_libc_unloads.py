"""Libraries that libc loads and unloads itself take turns at the same addresses. Each block is
attributed to the library that made it."""
import collections
import os

from harness import expect, trace


def test():
    traced = trace("libc_unloads_by_itself")
    blocks = collections.Counter()
    for site in traced.main.sites_of("host"):
        for module in {os.path.basename(frame["module"]) for frame in site["stack"]
                       if "/gconv/" in frame["module"]}:
            blocks[module] += site["allocations"]
    names = ("UTF-16", "UTF-32", "UTF-7", "ISO646", "ISO-2022-JP")
    expect(dict(blocks), {f"{name}.so": 40 for name in names},
           "blocks by the library that made them")
