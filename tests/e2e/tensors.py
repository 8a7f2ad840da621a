# What a dump says of PyTorch's allocators, counted from its records alone, beside what the
# allocator says of itself.
import collections
import os
import re

from harness import BUILD, Failed, expect, reporter, run, skip
from stacks import Stacks

STATED = re.compile(r"(.+): device (\d+) allocated (\d+) reserved (\d+)")
FIELD = re.compile(r' (\w+)=("(?:[^"\\]|\\.)*"|\S+)')


def doubles():
    """For the environment: where the doubles of CUDA's libraries are."""
    folder = os.path.join(BUILD, "doubles")
    if not os.path.exists(os.path.join(folder, "libcuda.so.1")):
        skip("the driver's double is not built")
    return {"LD_LIBRARY_PATH": folder}


def records(dump):
    """(kind, fields) of each record, in the order of time."""
    ended = run([reporter(), "text", dump], timeout=120)
    expect(ended.status, 0, f"memtrace-report text ({ended.stderr.strip()})")
    lines = [(line.split(" ", 1)[0], dict(FIELD.findall(line)))
             for line in ended.stdout.splitlines()]
    return sorted(lines, key=lambda line: int(line[1].get("time", 0)))


def number(fields, name):
    return int(fields[name], 0)


class Counts:
    """The blocks that are alive, by device; and what the allocator said beside the last of them."""

    def __init__(self):
        self.blocks = {}  # (device type, address): (device, size)
        self.stated = collections.defaultdict(lambda: (0, 0))  # device: (allocated, reserved)
        self.refused = []
        self.acquired = 0

    def take(self, kind, fields):
        if not kind.startswith("tensor_"):
            return
        key = number(fields, "device_type"), number(fields, "address") if "address" in fields else 0
        device, size = number(fields, "device"), number(fields, "size")
        if kind == "tensor_acquire":
            if key in self.blocks:
                raise Failed(f"{fields} was alive already")
            self.acquired += 1
            self.blocks[key] = device, size
        elif kind == "tensor_release":
            expect(self.blocks.pop(key, None), (device, size), f"the block of {fields}")
        elif kind == "tensor_refused":
            self.refused.append(fields)
        self.stated[device] = number(fields, "allocated"), number(fields, "reserved")

    def live(self, device):
        return sum(size for of, size in self.blocks.values() if of == device)


def count(dump):
    """The counts at the end."""
    counts = Counts()
    for kind, fields in records(dump):
        counts.take(kind, fields)
    return counts


def compare_steps(dump, stdout):
    """At each mark of which stdout says the allocator's own count: is it ours? Returns how many."""
    stated = collections.defaultdict(list)
    for step, device, allocated, reserved in STATED.findall(stdout):
        stated[step].append((int(device), int(allocated), int(reserved)))
    counts, compared = Counts(), 0
    for kind, fields in records(dump):
        counts.take(kind, fields)
        if kind != "mark":
            continue
        step = fields["text"].strip('"')
        for device, allocated, reserved in stated.pop(step, ()):
            expect(counts.live(device), allocated, f"live blocks of device {device} at {step}")
            compared += 1
    expect(list(stated), [], "steps without a mark")
    return compared


def functions_of(dump, stack):
    """The names of a native stack, innermost first, as the libraries' own symbols say them."""
    stacks = Stacks(dump)
    biases = {}
    for kind, fields in records(dump):
        if kind == "module":
            biases[number(fields, "id")] = number(fields, "bias")
    names = []
    node = stack
    while node:
        parent, kind, address, module = stacks.nodes[node]
        if kind == "native" and module:
            where = hex(address - 1 - biases[module])
            found = run(["addr2line", "-Cfe", stacks.modules[module], where]).stdout.splitlines()
            names.append(found[0] if found else "")
        node = parent
    return names
