"""A child that was forked before the driver was initialised uses it like any process. A child
that was forked later cannot use it, and its dump has nothing of its parent's."""
import glob
import os

import gpu
import harness
from harness import expect, trace


def test():
    log = os.path.join(harness.folder(), "log")
    traced = trace("gpu_forks", env=gpu.environment(log), check_report=False)
    expect(traced.stdout, "a child before: 0\nthe parent: 0\na child after: 3\n"
                          "the parent again: 0\n", "stdout")
    sizes = []
    for dump in traced.dumps:
        lines = gpu.lines_of(dump)
        sizes.append([line["size"] for line in lines if line.name == "gpu_acquire"])
        sources = [line["backend"] for line in lines if line.name == "gpu_source"]
        expect(sources, ["driver"] if sizes[-1] else [], "sources")
        pid = next(line for line in lines if line.name == "process")["pid"]
        expect(bool(glob.glob(f"{glob.escape(log)}.{pid}")), bool(sizes[-1]), "a log")
    expect(sorted(sizes), [[], [1111], [2222, 4444]], "what each process took")
