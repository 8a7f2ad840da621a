"""A program that ends while threads acquire memory of a device: the dump has what the driver
granted, except for the last call of each thread. A release that was cut off in this way may have
let another thread have the address. That contradiction is shown, and nothing else is wrong."""
import gpu
from harness import expect, require

THREADS = 3
ROUNDS = 1000  # of all threads together when the program ends


def test():
    found = gpu.GpuRun("gpu_exits", check_report=False, statuses=(0, 3))
    recorded = [line.logged() for line in found.of("gpu_acquire", "gpu_release")]
    granted = [line.logged() for line in found.log if line.name != "gpu_context"]
    require(len(recorded) >= 2 * ROUNDS, f"{len(recorded)} records")
    # A thread may have had the answer to its last call, but not written the record yet.
    missing = len(granted) - len(recorded)
    require(0 <= missing <= THREADS, f"{missing} of {len(granted)} are missing")
    require(set(recorded) <= set(granted), "something was recorded that the driver did not do")
    report = found.traced.report_of(found.traced.dumps[0], status=None)
    expect(report.capture["lost_events"], 0, "lost events")
    contradictions = report.capture["anomalies"]
    require(contradictions <= missing, f"{contradictions} contradictions, {missing} are missing")
    others = [one["what"] for one in report.problems
              if not one["what"].startswith("What was recorded of GPUs contradicts itself")]
    expect(others, [], "problems")
    expect(bool(report.problems), contradictions > 0, "whether a problem is shown")
