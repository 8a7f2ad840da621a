"""A program without a GPU: nothing is loaded, looked for or recorded, and a search for the driver
gives the same result as without memtrace."""
import os
import re

import gpu
import harness
from harness import command_of, environment, expect, require, run, shim, trace


def searches(preload):
    """Returns the libraries that the loader looked for or loaded, according to LD_DEBUG."""
    ended = run(command_of("gpu_absent"),
                environment(preload, {"LD_DEBUG": "libs,files", "MEMTRACE_OUTPUT": os.path.join(
                    harness.folder(), "dump.bin")}))
    return set(re.findall(r"(?:find library=|file=)([^\s;\[]+)", ended.stderr))


def test():
    traced = trace("gpu_absent")
    lines = gpu.lines_of(traced.dumps[0])
    expect([line for line in lines if line.name.startswith("gpu_")], [], "records of a GPU")
    expect([line for line in lines if line.name == "note"], [], "notes")
    require("not there, not there; an error" in traced.stdout, traced.stdout)
    bare, with_memtrace = searches([]), searches([shim()])
    require(bare, "LD_DEBUG said nothing")
    more = {os.path.basename(name) for name in with_memtrace - bare}
    more -= {"libmemtrace.so", "libm.so.6", "libdl.so.2", "libpthread.so.0"}
    expect(more, set(), "libraries that only memtrace looks for")
