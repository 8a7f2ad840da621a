"""Code made at run time: with registered tables its stacks are complete and exact, whatever was
at its address before. Without tables, the stacks show where guessing begins or that they are cut.
"""
import os

from harness import expect, folder, require, trace
from stacks import Stacks, truths_of


def test():
    path = os.path.join(folder(), "truth")
    traced = trace("made_code_stacks", path)
    stacks = Stacks(traced.main.dump)
    wanted = [truth for truth in truths_of(path) if truth[0] >= 1000]
    found = [(one.size, stacks.of(one.stack)) for one in stacks.acquired
             if 1000 <= one.size < 3000]
    expect([size for size, _ in found], [size for size, _ in wanted], "blocks")
    require(len(found) > 30, "there are too few blocks")
    for (size, frames), (_, truth) in zip(found, wanted):
        check = check_whole if size < 2000 else check_true_or_marked
        check(size, frames, truth)
    ours = [path for path in stacks.modules.values() if "libmemtrace" in path]
    expect(ours, [], "modules of stacks: libgcc allocates when it is told, and not behind us")


def check_whole(size, frames, truth):
    expect([kind for _, kind in frames], ["native"] * len(frames), f"kinds of frames, {size} bytes")
    addresses = [address for address, _ in frames]
    expect(addresses[1:1 + len(truth)], truth, f"the stack of {size} bytes")


def check_true_or_marked(size, frames, truth):
    marked = [i for i, (_, kind) in enumerate(frames) if kind in ("guessed", "truncated")]
    require(marked, f"nothing is marked in the stack of {size} bytes: {frames}")
    known = marked[0] + (frames[marked[0]][1] == "guessed")
    addresses = [address for address, _ in frames[1:known]]
    expect(addresses, truth[:len(addresses)], f"the stack of {size} bytes as far as it is known")
