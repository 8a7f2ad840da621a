"""A handler that leaves by siglongjmp the recording of an event loses that event, and the thread
records on. Mappings that a handler makes in the middle of an event are recorded."""
from harness import expect, report, require, trace


def test():
    traced = trace("jumps_out_of_handlers", check_report=False)
    found = report(traced.dumps[0], status=None)
    require(found.capture["lost_events"] <= 300, f"lost {found.capture['lost_events']} events")
    require(found.host["allocations"] >= 100000, f"{found.host['allocations']} allocations")

    traced = trace("maps_in_handlers", after=["lib_bump_allocator"], same_stderr=False)
    in_handler = int(traced.ended.stderr_of_program()[0])
    expect(traced.space("mmap")["leaked_blocks"], 0, "mappings at the end")
    found = traced.space("mmap")["allocations"]
    require(found >= in_handler, f"{found} mappings of {in_handler} in the handler")
