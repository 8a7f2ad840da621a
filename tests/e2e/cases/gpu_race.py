"""Two threads acquire and release the same addresses of a device, and the driver still works on a
release after the address is free for others. Every call is recorded, and the stamps give the true
order."""
import gpu
from harness import expect, require


def test():
    found = gpu.GpuRun("gpu_linked", "race", check_report=False)
    found.expect_log(in_order=False)
    events = sorted((line["time"] - line.get("lead", 0), line.name == "gpu_acquire",
                     line["address"]) for line in found.of("gpu_acquire", "gpu_release"))
    live, lead = set(), 0
    for _, is_acquired, address in events:
        require((address in live) != is_acquired, f"{address:#x} is in the wrong order")
        (live.add if is_acquired else live.remove)(address)
    expect(live, set(), "what is left")
    expect(len(events), 1200, "events")
    lead = sum(line["lead"] > 0 for line in found.of("gpu_release"))
    require(lead > 500, f"only {lead} releases had something recorded during their call")
