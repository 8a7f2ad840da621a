"""The report names how a program ended: exit, _exit, quick_exit, abort, a signal or exec."""
from harness import expect, trace


def test():
    ends = {"exit_handlers": "exit 0", "ends_by_underscore_exit": "exit 3",
            "ends_by_quick_exit": "exit 4", "ends_in_a_thread": "exit 5", "ends_by_exec": "exec",
            "ends_by_execl": "exec",
            "ends_by_sigkill": "unknown", "ends_by_segfault": "unknown"}
    for program, end in ends.items():
        expect(trace(program).program["end"], end, f"the end of {program}")
