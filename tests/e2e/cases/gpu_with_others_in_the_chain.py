"""dlsym answers by who asks, with memtrace as without: chains by RTLD_NEXT, and libraries that replace
dlsym themselves, in front of memtrace or behind it. Behind, they are still asked."""
import os

import gpu
import harness
from harness import expect, require, trace


def test():
    links = ["lib_looks_up_next", "lib_looks_up_next_too"]
    for where in ({"before": links}, {"after": links},
                  {"before": links[:1], "after": links[1:]}):
        log = os.path.join(harness.folder(), "log")
        traced = trace("gpu_next", env=gpu.environment(log), check_report=False, **where)
        require("passed on by first, passed on by second" in traced.stdout, traced.stdout)
        require("13002" in traced.stdout, traced.stdout)
    for where in ("before", "after"):
        found = gpu.GpuRun("gpu_loaded", "plain", "dlsym", check_report=False,
                           **{where: ["lib_replaces_dlsym"]})
        require("counted 3 calls" in found.traced.stdout, found.traced.stdout)
        found.expect_log()
        expect(len(found.of("gpu_acquire")), 5, f"{where}: blocks")
