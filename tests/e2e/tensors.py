# Counts the blocks of PyTorch's allocators from the records of a dump alone, and compares them with
# the allocator's own counts.
import collections
import os
import re

from harness import BUILD, Failed, expect, reporter, require, run
from stacks import Stacks

STATED = re.compile(r"(.+): device (\d+) allocated (\d+) reserved (\d+)")
FIELD = re.compile(r' (\w+)=("(?:[^"\\]|\\.)*"|\S+)')


def doubles():
    """Returns the variables that name the folders of the doubles of CUDA's libraries."""
    return {"LD_LIBRARY_PATH": ":".join(os.path.join(BUILD, "doubles", name)
                                        for name in ("libcuda", "libcudart"))}


def double(*path):
    """Returns the path of a file of the doubles."""
    found = os.path.join(BUILD, "doubles", *path)
    require(os.path.exists(found), f"{found} is not built")
    return found


def records(dump, kinds=""):
    """Returns (kind, fields) of each record in time order, or of those whose kind begins so."""
    ended = run([reporter(), "text", dump], timeout=120)
    expect(ended.status, 0, f"memtrace-report text ({ended.stderr.strip()})")
    lines = [(line.split(" ", 1)[0], dict(FIELD.findall(line)))
             for line in ended.stdout.splitlines() if line.startswith(kinds)]
    return sorted(lines, key=lambda line: int(line[1].get("time", 0)))


def number(fields, name):
    return int(fields[name], 0)


class Counts:
    """The live blocks by device, and the allocator's own counts beside the last report."""

    def __init__(self):
        self.blocks = {}  # (device type, address): (device, size)
        self.stated = collections.defaultdict(lambda: (0, 0))  # device: (allocated, reserved)
        self.refused = []
        self.acquired = 0
        self.reports = 0  # all reports of the allocator

    def take(self, kind, fields):
        if not kind.startswith("tensor_"):
            return
        self.reports += 1
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


class Segments:
    """Memory that the driver gave and did not get back, by device."""

    def __init__(self):
        self.are_recorded = False
        self.plain = {}   # address: (device, size)
        self.pooled = {}  # the same, from a pool of the driver
        self.handles = {}  # physical memory: [device, size, references and mappings]
        self.maps = {}     # address: (handle, size)

    def take(self, kind, fields):
        take = getattr(self, "take_" + kind, None)
        if take:
            take(fields)

    def take_gpu_source(self, fields):
        self.are_recorded = fields["backend"] == "driver"

    def take_gpu_acquire(self, fields):
        address = number(fields, "address")
        found = number(fields, "device"), number(fields, "size")
        if fields["memory"] == "device":
            self.plain[address] = found
        elif fields["memory"] == "pooled":
            self.pooled[address] = found
        elif fields["memory"] == "physical":
            self.handles[address] = [*found, 1]

    def take_gpu_release(self, fields):
        address = number(fields, "address")
        if fields["api"] == "cuMemRelease":
            self.drop(address)
        elif fields["api"] != "cuMemAddressFree":
            self.plain.pop(address, None)
            self.pooled.pop(address, None)

    def take_gpu_retain(self, fields):
        self.handles[number(fields, "handle")][2] += 1

    def take_gpu_map(self, fields):
        handle = number(fields, "handle")
        self.maps[number(fields, "address")] = handle, number(fields, "size")
        self.handles[handle][2] += 1

    def take_gpu_unmap(self, fields):
        begin = number(fields, "address")
        end = begin + number(fields, "size")
        for address in [address for address in self.maps if begin <= address < end]:
            self.drop(self.maps.pop(address)[0])

    def drop(self, handle):
        self.handles[handle][2] -= 1
        if self.handles[handle][2] == 0:
            del self.handles[handle]

    def hold(self, address, size):
        """True if the whole block lies in memory that the driver gave."""
        places = [(begin, taken) for begin, (_, taken) in self.plain.items()]
        places += [(begin, taken) for begin, (_, taken) in self.maps.items()]
        end = address + size
        return size == sum(max(0, min(end, begin + taken) - max(address, begin))
                           for begin, taken in places)

    def live(self, device):
        found = [*self.plain.values(), *self.pooled.values(), *self.handles.values()]
        return sum(size for of, size, *_ in found if of == device)


def count(dump):
    """Returns the counts at the end."""
    counts = Counts()
    for kind, fields in records(dump, "tensor_"):
        counts.take(kind, fields)
    return counts


def check_report(kind, fields, segments):
    """Checks the driver's side of a block: its segment existed before it, and all segments together
    equal the allocator's own count."""
    if kind == "tensor_acquire":
        address, size = number(fields, "address"), number(fields, "size")
        require(segments.hold(address, size), f"{fields} is in no segment")
    expect(segments.live(number(fields, "device")), number(fields, "reserved"),
           f"segments at {kind} {fields}")


Compared = collections.namedtuple("Compared", "blocks segments")


def compare_steps(dump, stdout, blocks_are_reported=True):
    """Compares the counts at each mark for which stdout has the allocator's own count. Returns the
    number of comparisons. If the allocator does not report its blocks, each is the driver's."""
    stated = collections.defaultdict(list)
    for step, device, allocated, reserved in STATED.findall(stdout):
        stated[step].append((int(device), int(allocated), int(reserved)))
    counts, segments, blocks_compared, segments_compared = Counts(), Segments(), 0, 0
    for kind, fields in records(dump):
        counts.take(kind, fields)
        segments.take(kind, fields)
        if segments.are_recorded and kind.startswith("tensor_"):
            check_report(kind, fields, segments)
        if kind != "mark":
            continue
        step = fields["text"].strip('"')
        for device, allocated, reserved in stated.pop(step, ()):
            if blocks_are_reported:
                expect(counts.live(device), allocated, f"live blocks of device {device} at {step}")
                blocks_compared += 1
            if segments.are_recorded:
                wanted = reserved if blocks_are_reported else allocated
                expect(segments.live(device), wanted, f"segments of device {device} at {step}")
                segments_compared += 1
    expect(list(stated), [], "steps without a mark")
    return Compared(blocks_compared, segments_compared)


def functions_of(dump, stack):
    """Returns the names of a native stack, innermost first, from the libraries' own symbols."""
    stacks = Stacks(dump)
    biases = {}
    for _, fields in records(dump, "module "):
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
