"""What is held by memory out of sight is not lost: pages of shared memory that the process itself
has not touched, memory that it may not read now, values of more keys than libc has room for, stacks
that are blocks, arrays of aligned objects. Beside shared memory of a program that goes on, nothing
is certain."""
from harness import expect, report, require, trace

LOST = {"blocks": 60, "bytes": 60 * 77}
SAID = ("Shared memory (MAP_SHARED) was read while the program went on, so nothing is called "
        "definitely lost.")


def searched(mode):
    traced = trace("lost_blocks_out_of_sight", mode, options="lost=exit", bare=False)
    lost = report(traced.dump, "leaks").data["lost"]
    expect([search["state"] for search in lost["searches"]], ["done"], f"{mode}: states")
    return lost


def test():
    for mode in ("mapped_again", "mapped_to_read", "mapped_as_its_own", "written_by_a_child",
                 "write_only", "execute_only", "no_access", "values_of_keys",
                 "values_of_a_thread", "stack_for_signals", "handler_in_a_block",
                 "coroutine_in_a_block", "arrays", "shared_beside_a_sleeper"):
        lost = searched(mode)
        found = lost["definitely"]
        if mode.endswith("in_a_block"):
            # All of such a stack counts, also what earlier calls have left there.
            expect(found["bytes"], found["blocks"] * 77, mode)
        else:
            expect(found, LOST, f"{mode}: definitely lost")
        expect([lost[kind]["blocks"] for kind in ("indirectly", "possibly")], [0, 0], mode)
        require(lost["reachable"]["blocks"] >= 50, f"{mode}: {lost}")
    lost = searched("shared_beside_a_thread")
    expect([lost[kind]["blocks"] for kind in ("definitely", "possibly")], [0, 60], "beside it")
    expect(lost["searches"][0]["why"], SAID, "what it says")
