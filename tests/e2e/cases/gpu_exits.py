"""A program that ends while threads take memory of a device: what the driver granted is in the
dump, but for the last call of each thread."""
import gpu
from harness import require


def test():
    found = gpu.GpuRun("gpu_exits", check_report=False)
    recorded = [line.logged() for line in found.of("gpu_acquire", "gpu_release")]
    granted = [line.logged() for line in found.log if line.name != "gpu_context"]
    require(len(recorded) > 200, f"{len(recorded)} records")
    # Of its last calls a thread may have had the answer and not yet the record.
    missing = len(granted) - len(recorded)
    require(0 <= missing <= 3, f"{missing} of {len(granted)} are missing")
    require(set(recorded) <= set(granted), "something was recorded that the driver did not do")
