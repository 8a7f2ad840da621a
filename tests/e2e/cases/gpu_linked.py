"""A program that is linked to CUDA's driver: each call that gives or takes memory of any kind is
in the dump, as the driver granted it, with its device, its context and its stack."""
import gpu
from harness import expect, require

STORIES = ("plain", "pinned", "virtual", "pools", "arrays", "others", "contexts", "modules",
           "graphs", "captured", "refused", "failed_free", "jumped_out")


def test():
    for story in STORIES:
        found = gpu.GpuRun("gpu_linked", story, check_report=False)
        require("device 0" in found.traced.stdout, f"{story}: {found.traced.stdout}")
        if found.log:
            found.expect_log()
        found.expect_source()
        for line in found.of("gpu_acquire"):
            require(line["stack"] != 0, f"{story}: no stack: {line}")
        device = found.of("gpu_device")[0]
        expect((device["model"][:6], device["pci"][:5], device["memory"]),
               ("Double", "0000:", 1 << 30), "device")
