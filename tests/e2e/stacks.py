# Stacks of a dump, address by address, for programs that record their own stacks
# (tests/programs/true_stack.h).
import collections
import re

from harness import reporter, run

NODE = re.compile(r"node .*\bid=(\d+) parent=(\d+) module=(\d+) kind=(\w+) address=(\w+)")
ACQUIRE = re.compile(r"acquire lane=\d+ time=(\d+) api=\w+ stack=(\d+) size=(\d+) ")
MODULE = re.compile(r'module .*\bid=(\d+) .*\bpath="([^"]*)"')

Acquired = collections.namedtuple("Acquired", "time stack size")


class Stacks:
    """The nodes of a dump, and its acquisitions in time order."""

    def __init__(self, dump):
        self.nodes, self.acquired, self.modules = {}, [], {}
        for line in run([reporter(), "text", dump], timeout=120).stdout.splitlines():
            if found := ACQUIRE.match(line):
                self.acquired.append(Acquired(*map(int, found.groups())))
            elif found := NODE.match(line):
                node, parent, module, kind, address = found.groups()
                self.nodes[int(node)] = (int(parent), kind, int(address, 16), int(module))
            elif found := MODULE.match(line):
                self.modules[int(found.group(1))] = found.group(2)
        self.acquired.sort(key=lambda acquired: acquired.time)

    def of(self, node):
        """Returns (address, kind) of each frame, innermost first. The mark of a cut comes last."""
        frames = []
        while node:
            parent, kind, address, _ = self.nodes[node]
            frames.append((address, kind))
            node = parent
        return frames


def truths_of(path):
    """Yields (size, [address …]) of each line."""
    with open(path) as file:
        for line in file:
            size, *addresses = line.split()
            yield int(size), [int(address, 16) for address in addresses]
