"""dlsym answers by its caller, with memtrace as without: chains by RTLD_NEXT, libraries that
replace dlsym themselves, in front of memtrace or behind it, and libraries found by $ORIGIN."""
import os

import gpu
import harness
from harness import built, expect, require, trace


def test():
    links = ["lib_looks_up_next", "lib_looks_up_next_too"]
    for where in ({"before": links}, {"after": links},
                  {"before": links[:1], "after": links[1:]}):
        log = os.path.join(harness.folder(), "log")
        traced = trace("gpu_next", built("lib_beside_others.so"), env=gpu.environment(log),
                       check_report=False, **where)
        require("found beside\nhas no driver" in traced.stdout, traced.stdout)
        require("passed on by first, passed on by second" in traced.stdout, traced.stdout)
        require("13002" in traced.stdout, traced.stdout)
    for where in ("before", "after"):
        found = gpu.GpuRun("gpu_loaded", "plain", "dlsym", check_report=False,
                           **{where: ["lib_replaces_dlsym"]})
        require("counted 3 calls" in found.traced.stdout, found.traced.stdout)
        found.expect_log()
        expect(len(found.of("gpu_acquire")), 5, f"{where}: blocks")
        said = any("lib_replaces_dlsym" in note for note in found.notes())
        expect(said, where == "before", f"{where}: said that dlsym is replaced: {found.notes()}")
