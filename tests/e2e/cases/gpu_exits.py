"""A program that ends while threads take memory of a device: what the driver granted is in the
dump, but for the last call of each thread. A release that was cut off in this way may have let
another thread have the address: that contradiction is shown, and nothing else is wrong."""
import gpu
from harness import expect, require

THREADS = 3
ROUNDS = 1000  # that all threads together have done when the program ends


def test():
    found = gpu.GpuRun("gpu_exits", check_report=False, statuses=(0, 3))
    recorded = [line.logged() for line in found.of("gpu_acquire", "gpu_release")]
    granted = [line.logged() for line in found.log if line.name != "gpu_context"]
    require(len(recorded) >= 2 * ROUNDS, f"{len(recorded)} records")
    # Of its last calls a thread may have had the answer and not yet the record.
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
