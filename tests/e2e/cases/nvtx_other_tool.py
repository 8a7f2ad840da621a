"""Another tool is configured, as Nsight configures it. It receives the same calls as without
memtrace, and the program gets the tool's answers. The dump names the owner of the ranges. Calls
of libnvToolsExt.so are recorded on their way."""
import os

from harness import expect, folder, require, trace
from phases import DOUBLES, Phases, expect_nvtx_story

TOOL = {"NVTX_INJECTION64_PATH": os.path.join(DOUBLES, "tool", "libnvtx_tool.so")}


def test():
    traced = trace("nvtx_by_copy", env=TOOL)
    require("tool: 109 pushes, 110 pops, 4 starts, 4 ends, 4 names" in traced.stdout,
            traced.stdout)
    require("NVTX_INJECTION64_PATH was set already" in traced.main.notes(), "a note")
    expect(Phases(traced.dumps[0]).list, [], "phases")

    traced = trace("nvtx_by_library",
                   env={**TOOL, "LD_LIBRARY_PATH": os.path.join(DOUBLES, "with")})
    require("tool: 109 pushes" in traced.stdout, traced.stdout)
    expect_nvtx_story(Phases(traced.dumps[0]))

    # If this file says so, copies of the newest header query CUDA's driver for a tool.
    if os.geteuid() == 0:
        print("nvtx-cuda.yaml is not tested: root's lies in /run")
        return
    runtime = folder()
    os.makedirs(os.path.join(runtime, "nvidia", "nvtx"))
    with open(os.path.join(runtime, "nvidia", "nvtx", "nvtx-cuda.yaml"), "w", encoding="ascii"):
        pass
    traced = trace("nvtx_by_copy", env={"XDG_RUNTIME_DIR": runtime})
    require("nvtx-cuda.yaml" in traced.main.notes(), "a note")
    expect(Phases(traced.dumps[0]).list, [], "phases")
