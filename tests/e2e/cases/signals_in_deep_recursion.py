"""A hundred thousand signals arrive in the middle of captures, and their handlers allocate too.
Every stack of the main flow is the program's own. A handler's stack is right or marked as nested.
"""
# slow
import array
import collections
import os
import struct

from harness import expect, folder, require, trace
from stacks import Stacks

BEGIN, END = 7777, 7778  # sizes of the blocks between which the program records its truth


class Truth:
    """The program's output: nodes, a node for each block, a note for each signal."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.nodes = [struct.unpack("<QQ", node) for node in self.items(file, 16)]
            self.in_main = array.array("I", b"".join(self.items(file, 4)))
            self.handled = [struct.unpack("<5Q", note) for note in self.items(file, 40)]

    @staticmethod
    def items(file, size):
        count, = struct.unpack("<Q", file.read(8))
        data = file.read(count * size)
        return [data[at:at + size] for at in range(0, len(data), size)]

    def of(self, node):
        """Returns the return addresses, innermost first."""
        addresses = []
        while node:
            node, address = self.nodes[node]
            addresses.append(address)
        return addresses


def test():
    path = os.path.join(folder(), "truth")
    traced = trace("signals_in_deep_recursion", path, after=["lib_bump_allocator"], bare=False)
    truth, stacks = Truth(path), Stacks(traced.main.dump)
    sizes = [one.size for one in stacks.acquired]
    blocks = stacks.acquired[sizes.index(BEGIN) + 1:sizes.index(END)]
    outside = check_main_flow(truth, stacks, [one for one in blocks if one.size % 16 == 0])
    check_handlers(truth, stacks, [one for one in blocks if one.size % 16 == 1], outside)


def check_main_flow(truth, stacks, blocks):
    """Returns the number of frames outside main, which are libc's."""
    expect(len(blocks), len(truth.in_main), "blocks of the main flow")
    expect([one.size for one in blocks], [16 * (1 + i % 4) for i in range(len(blocks))],
           "sizes in the order of time")
    outside = None
    for stack, node in {(one.stack, node) for one, node in zip(blocks, truth.in_main)}:
        frames, wanted = stacks.of(stack), truth.of(node)
        expect({kind for _, kind in frames}, {"native"}, "kinds of frames in the main flow")
        found = [address for address, _ in frames]
        expect(found[1:1 + len(wanted)], wanted, "a stack of the main flow")
        outside = outside or len(found) - len(wanted)
        expect(len(found) - len(wanted), outside, "frames outside of main")
    return outside - 1


def check_handlers(truth, stacks, blocks, outside):
    require(len(blocks) >= 100000, f"only {len(blocks)} signals were handled")
    expect(len(blocks), len(truth.handled), "blocks of handlers")
    # Events that interrupted the recording of another event are written a little later.
    notes = collections.defaultdict(collections.deque)
    for note in truth.handled:
        notes[note[0]].append(note)
    nested, right, known = 0, 0, {}
    for block in blocks:
        _, node, *returns_to = notes[block.size].popleft()
        if block.stack not in known:
            known[block.stack] = stacks.of(block.stack)
        frames = known[block.stack]
        if frames[-1][1] == "truncated":
            expect(len(frames), 2, "frames of a stack that says it is nested")
            nested += 1
            continue
        right += 1
        found = [address for address, _ in frames]
        expect(found[1:4], returns_to, "the handler's own functions")
        expect(frames[4][1], "entry", "where the signal came")
        # All frames of the main flow with a stored return address. More may lie inside them.
        wanted = truth.of(node)
        expect(found[len(found) - outside - len(wanted):len(found) - outside], wanted,
               "what the signal interrupted")
    print(f"{right} stacks of handlers are right, {nested} say that they are nested")
    require(right > 1000 and nested > 1000, "the signals did not come at many places")
