"""What a search could overlook is no loss: blocks on stacks that are used again, that lie in a row,
or in frames of other stacks; in memory of devices' folders and in memory that copies of a process
lack; in registers."""
import os

from harness import environment, expect, folder, report, reporter, require, run, trace

LOST = {"blocks": 60, "bytes": 60 * 77}


def searched(*words, options="lost=exit"):
    traced = trace("lost_blocks_held", *words, options=options, bare=False)
    lost = report(traced.dump, "leaks").data["lost"]
    expect([search["state"] for search in lost["searches"]], ["done"], f"{words}: states")
    return traced.dump, lost


def check(mode, *words, reachable=50):
    """Nothing is lost but what is. A search on a stack of which nobody knows what is in use may
    find old pointers to some of that."""
    _, lost = searched(mode, *words)
    expect([lost[kind]["blocks"] for kind in ("indirectly", "possibly")], [0, 0], mode)
    require(lost["reachable"]["blocks"] >= reachable, f"{mode}: {lost}")
    return lost["definitely"]


def on_stacks():
    for mode in ("stack_used_again", "handler_in_a_frame"):
        expect(check(mode), LOST, mode)
    expect(check("stacks_in_a_row", reachable=150), LOST, "stacks_in_a_row")
    expect(check("stacks_without_guards", reachable=40), LOST, "stacks_without_guards")
    for mode in ("coroutines_in_a_frame", "coroutines_of_a_thread"):
        found = check(mode)
        expect(found["bytes"], found["blocks"] * 77, mode)


def on_no_stack():
    """What is left on the stack of a thread that has ended holds nothing."""
    _, lost = searched("stack_not_used_again")
    require(lost["definitely"]["blocks"] >= 55, f"stack_not_used_again: {lost}")


def in_other_memory():
    expect(check("beside_the_heap"), LOST, "beside_the_heap")
    files = [os.path.join(folder(), "shared")]
    # Only root may make a file there.
    if os.access("/dev", os.W_OK):
        files.append(f"/dev/memtrace-test-{os.getpid()}")
    for file in files:
        expect(check("in_a_shared_file", file), LOST, file)
    for mode in ("not_copied", "wiped_in_copies"):
        _, lost = searched(mode)
        if "may not be read" in lost["searches"][0]["why"]:
            # The system lets nobody look into the process itself.
            expect((lost["definitely"]["blocks"], lost["possibly"]["blocks"]), (0, 110), mode)
        else:
            expect((lost["definitely"], lost["possibly"]["blocks"]), (LOST, 0), mode)


def in_registers():
    _, lost = searched("held_by_registers")
    # How many are in registers is for the compiler to say.
    expect(lost["definitely"], LOST, "definitely lost beside registers")
    _, lost = searched("lost_at_many_places")
    expect((lost["definitely"]["blocks"], lost["possibly"]["blocks"]), (294, 6), "many places")
    dump, lost = searched("lost_at_some_places")
    expect((lost["definitely"]["blocks"], lost["possibly"]["blocks"]), (0, 12), "some places")
    said = "At least 6 of the possibly lost blocks are lost: registers of threads can hold 6."
    expect(lost["searches"][0]["why"], said, "what it says")
    checked = run([reporter(), "check", "--max-lost-blocks", "0", dump], environment([]))
    said = "12 blocks (924 B) are possibly lost, which no limit counts"
    require(checked.status == 0 and said in " ".join(checked.stdout.split()), checked.stdout)


def test():
    on_stacks()
    on_no_stack()
    in_other_memory()
    in_registers()
