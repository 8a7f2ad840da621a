"""The dump's figures beside the calls themselves: what pools and graphs hold, what the driver
takes for itself, the refused amounts, and which mappings are the driver's."""
import re

import gpu
from harness import expect, report, require

MIB = 1 << 20


def in_turns():
    """What pools and graphs of two devices hold, as the stand-in counts it itself."""
    found = gpu.GpuRun("gpu_linked", "in_turns", check_report=False)
    truth = re.search(r"device 0: (\d+), device 1: (\d+)", found.traced.stdout)
    ledger = report(found.traced.dumps[0], "gpu").data["gpu_ledger"]
    for device, held in enumerate(map(int, truth.groups())):
        for moment in ("peak", "end"):
            expect(ledger[device][moment]["recorded"], held, f"device {device} at the {moment}")


def test():
    in_turns()
    pools = [(line["api"], line["kind"], line["device"], line["reserved"] // MIB, line["used"])
             for line in gpu.GpuRun("gpu_linked", "pools", check_report=False).of("gpu_pool")]
    expect(pools[:2], [("cuMemAllocAsync", "pool", 0, 32, 10 * MIB),
                       ("cuMemAllocAsync", "pool", 0, 64, 40 * MIB)], "the default pool")
    expect([row for row in pools if row[0] == "cuMemPoolTrimTo"],
           [("cuMemPoolTrimTo", "pool", 1, 32, 100)], "trimmed")
    expect([row[1] for row in pools][-2:], ["gone", "imported"], "the last pools")

    graphs = [(line["api"], line["reserved"] // MIB, line["used"] // MIB)
              for line in gpu.GpuRun("gpu_linked", "graphs", check_report=False).of("gpu_pool")]
    expect(graphs, [("cuGraphLaunch", 24, 24)] * 3 + [("cuDeviceGraphMemTrim", 0, 0)], "graphs")

    overheads = [(line["api"], line["free_before"] - line["free_after"]) for line in
                 gpu.GpuRun("gpu_linked", "modules", check_report=False).of("gpu_overhead")]
    expect([taken // MIB for _, taken in overheads], [3] * 6 + [-3, -3, 8], f"{overheads}")

    found = gpu.GpuRun("gpu_linked", "refused", check_report=False)
    refused = [(line["api"], line["size"] // MIB, line["device"], line["free"] // MIB)
               for line in found.of("gpu_refused")]
    expect(refused, [("cuMemAlloc", 5000, 0, 828), ("cuMemCreate", 6000, 1, 0),
                     ("cuMemAllocAsync", 7000, 0, 828)], "refused")

    found = gpu.GpuRun("gpu_linked", "pinned", check_report=False)
    of_driver = [line for line in found.of("map") if line["purpose"] == "gpu_driver"]
    for block in found.of("gpu_acquire"):
        if block["memory"] == "pinned":
            inside = [line for line in of_driver if line["address"] <= block["address"] and
                      block["address"] + block["size"] <= line["address"] + line["size"]]
            require(inside, f"no mapping of the driver's holds {block}")
