# SPDX-License-Identifier: Apache-2.0
"""sys.settrace and sys.setprofile with functions that allocate, and sys.monitoring if available."""
import sys
import threading

from truth import Truths

truths = Truths()
tracing = False


def work(depth):
    total = 0
    for number in range(3):
        total += number
    truths.both()
    if depth:
        work(depth - 1)
    list(truths.both() for _ in range(2))
    try:
        raise KeyError
    except KeyError:
        truths.both()


def tracer(frame, event, argument):
    # 3.12.1 sometimes crashes if threads start and end meanwhile, also without the shim.
    frame.f_trace_opcodes = sys.version_info < (3, 12)
    truths.quick()
    return tracer


for install in (sys.settrace, sys.setprofile, threading.settrace):
    install(tracer)
    work(4)
    thread = threading.Thread(target=work, args=(2,))
    thread.start()
    thread.join()
    install(None)
work(4)
if sys.version_info >= (3, 12):
    monitoring = sys.monitoring
    monitoring.use_tool_id(2, "truths")
    for event in (monitoring.events.LINE, monitoring.events.PY_START, monitoring.events.CALL):
        monitoring.register_callback(2, event, lambda *_: truths.quick())
    monitoring.set_events(2, monitoring.events.LINE | monitoring.events.PY_START |
                          monitoring.events.CALL)
    work(4)
    monitoring.set_events(2, 0)
work(4)
