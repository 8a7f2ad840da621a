"""Code that includes NVTX's header contains a copy of it, and memtrace becomes that copy's tool.
Ranges that are nested, of threads, of domains and with wide names are phases, with the program's
own figures to the byte. The environment and the return values are the same as without memtrace."""
import os

from harness import BUILD, expect, trace
from phases import Phases, expect_nvtx_story


def test():
    programs = ["nvtx_by_copy"]
    if os.path.exists(os.path.join(BUILD, "programs", "nvtx_by_header")):
        programs.append("nvtx_by_header")
    else:
        print("NVIDIA's header was not found (MEMTRACE_NVTX_HEADERS): only the stand-in is tested")
    for program in programs:
        traced = trace(program)
        expect_nvtx_story(Phases(traced.dumps[0]))
        expect(traced.stdout, "-2 -2\n", "what push and pop return, and the environment")
    without = trace("nvtx_by_copy", options="nvtx=0")
    expect(Phases(without.dumps[0]).list, [], "switched off")
    # The loader's data about the shim is not in the program's heap.
    expect(trace("nvtx_by_copy").host, without.host, "the heap, with and without")
