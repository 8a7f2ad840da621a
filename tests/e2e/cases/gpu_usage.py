"""The management library is a second source for what the process holds of a device. The scope of
its number is recorded. Without the library there is no such record, and it can be switched off."""
import os

import gpu
from harness import BUILD, expect

MANAGEMENT = os.path.join(BUILD, "doubles", "libnvml")


def usages(processes, options="", folder=MANAGEMENT):
    env = {"LD_LIBRARY_PATH": f"{gpu.DOUBLE}:{folder}", "NVML_DOUBLE_PROCESSES": processes,
           "NVML_DOUBLE_USED": "7000000"}
    found = gpu.GpuRun("gpu_linked", "plain", env=env, options=options, check_report=False)
    return sorted({(line["device"], line["scope"], line["used"], line["memory"])
                   for line in found.of("gpu_usage")})[:1]


def test():
    expect(usages("55=1000,own=5000000"), [(0, "process", 5000000, 1 << 30)], "by its number")
    expect(usages("99999999=4000000"), [(0, "process", 4000000, 1 << 30)], "alone in a container")
    expect(usages("77=1,88=2"), [(0, "device", 7000000, 1 << 30)], "one of several, unknown which")
    expect(usages(""), [(0, "device", 7000000, 1 << 30)], "processes are not told")
    expect(usages("own=5000000", folder="/nonexistent"), [], "not installed")
    expect(usages("own=5000000", options="gpu_usage=0"), [], "switched off")
