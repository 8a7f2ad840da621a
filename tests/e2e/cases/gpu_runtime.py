"""gpu=runtime: calls of a shared runtime library are in the dump once, under the runtime's
function names, with the driver's own sizes, addresses and contexts. The driver's functions are
not hooked. With gpu=auto the hooks of the driver record the same program once."""
import os

import gpu
from harness import BUILD, expect, require

DOUBLES = ":".join(os.path.join(BUILD, "doubles", name) for name in ("libcuda", "libcudart"))
COMPARED = ("memory", "size", "address", "handle", "device", "context")
# The names in the table: the runtime's, also where the driver has an equal function.
SAID = {"cudaMalloc", "cudaMallocPitch", "cudaMalloc3D", "cudaMallocManaged", "cudaFree",
        "cudaMallocHost", "cudaHostAlloc", "cudaFreeHost", "cudaHostRegister",
        "cudaHostUnregister", "cudaMallocAsync", "cudaMallocFromPoolAsync", "cudaFreeAsync",
        "cudaMallocArray", "cudaMalloc3DArray", "cudaFreeArray", "cudaIpcOpenMemHandle",
        "cudaIpcCloseMemHandle", "cudaDeviceReset"}


def run(mode):
    return gpu.GpuRun("gpu_runtime", options=f"gpu={mode}", check_report=False,
                      env={"LD_LIBRARY_PATH": DOUBLES})


def contents(lines):
    """Acquisitions and releases without function names; contexts only where they end."""
    ends = ("destroyed",)
    return [(line.name, *((key, line[key]) for key in COMPARED if key in line))
            for line in lines if line.name in gpu.IN_LOG and
            (line.name != "gpu_context" or line["change"] in ends)]


def expect_same(found, wanted):
    for number, pair in enumerate(zip(found, wanted)):
        expect(*pair, f"record {number}")
    expect(len(found), len(wanted), "number of records")


def test():
    found = run("runtime")
    expect(found.traced.stdout, "errno 77\ndlsym finds it\n", "the program's answers")
    expect([line["backend"] for line in found.of("gpu_source")], ["runtime"], "source")
    expect_same(contents(found.lines), contents(found.log))
    expect({line["api"] for line in found.of(*gpu.IN_LOG)}, SAID, "functions")
    expect([(line["api"], line["size"]) for line in found.of("gpu_refused")],
           [("cudaMalloc", 1 << 40)] * 2, "refusals")
    pools = {line["api"] for line in found.of("gpu_pool")}
    require({"cudaMemPoolCreate", "cudaMemPoolTrimTo", "cudaMemPoolDestroy"} <= pools, f"{pools}")
    for line in found.of("gpu_acquire"):
        require(line["stack"] != 0, f"no stack: {line}")

    by_driver = run("auto")
    expect(by_driver.traced.stdout, found.traced.stdout, "the program's answers")
    by_driver.expect_log().expect_source()
    expect_same(contents(by_driver.lines), contents(by_driver.log))

    expect(run("off").of(*gpu.IN_LOG), [], "records with gpu=off")
