"""Python calls the driver through ctypes, which loads it locally. The call is recorded, with the
line of Python that made it."""
import gpu
from harness import expect, require


def test():
    found = gpu.GpuRun("gpu_of_python", check_report=False)
    found.expect_log().expect_source()
    expect(len(found.of("gpu_acquire")), 3, "blocks")
    nodes = {line["id"]: line for line in found.of("node")}
    for line in found.of("gpu_acquire"):
        kinds, stack = [], line["stack"]
        while stack in nodes:
            kinds.append(nodes[stack]["kind"])
            stack = nodes[stack]["parent"]
        require(kinds.count("python") >= 2, f"frames of Python: {kinds}")
