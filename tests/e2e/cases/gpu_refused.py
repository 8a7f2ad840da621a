"""oom: memory of the host that the driver refused is not the card's, and a request whose size is
not known has its stack."""
import gpu
from harness import expect, report, reporter, require, run

MIB = 1 << 20


def test():
    found = gpu.GpuRun("gpu_linked", "refused_on_host", check_report=False)
    dump = found.traced.dumps[0]
    data = report(dump, "oom").data
    expect([(one["space"], one["device"], one["size"], one["free"]) for one in data["refusals"]],
           [("pinned", None, 8 * MIB, None), ("pinned", None, 4 * MIB, None),
            ("managed", None, 2 * MIB, None)], "refusals")
    holders = data["holders"]
    expect((holders["device"]["space"], holders["device"]["bytes"], holders["ledger"]),
           ("managed", 3 * MIB, None), "who held managed memory")
    text = run([reporter(), dump]).stdout
    require("pinned memory was refused 2 times, managed memory 1 time" in text, text)
    require("memory of a GPU was refused" not in text, text)

    dump = gpu.GpuRun("gpu_linked", "refused_limit", check_report=False).traced.dumps[0]
    data = report(dump, "oom").data
    # What each thread of the device has for its stack is no size of a request.
    expect([one["size"] for one in data["refusals"]], [None, 100 * MIB, 100 * MIB], "limits")
    every = run([reporter(), "oom", "--all", dump]).stdout
    require("a size that is not known" in every and "0 B (0 bytes)" not in every, every)

    full = gpu.GpuRun("gpu_linked", "contexts", env={"CUDA_DOUBLE_MEMORY": "50000000"},
                      check_report=False)
    text = run([reporter(), "oom", full.traced.dumps[0]]).stdout
    require("size that is not known on device" in text, text)
    require("WHERE, AND WHO CALLED IT" in text and "contexts" in text, text)
