# Counts a dump a second time, from `memtrace-report text` alone: totals of the spaces host, mmap
# and python, as a program of few lines that keeps everything in dictionaries.
import re

from harness import Failed, reporter, run

PAGE = 4096
FIELD = re.compile(r'(\w+)=("(?:[^"\\]|\\.)*"|\S+)')
EVENTS = ("acquire", "release", "resize", "map", "unmap", "remap")


class Space:
    """The totals of a space. Blocks are numbered; `live` has the bytes that each has left."""

    def __init__(self):
        self.allocations = self.frees = self.allocated_bytes = self.temporary = 0
        self.bytes = self.peak_bytes = self.at_peak_blocks = 0
        self.held = None
        self.live = {}
        self.newest = {}  # the block that each thread acquired last

    def acquire(self, size, thread):
        self.allocations += 1
        self.allocated_bytes += size
        self.newest[thread] = self.allocations
        self.live[self.allocations] = size
        self.bytes += size
        if self.bytes > self.peak_bytes:
            self.peak_bytes, self.at_peak_blocks = self.bytes, len(self.live)
        return self.allocations

    def shrink(self, block, size):
        self.live[block] -= size
        self.bytes -= size

    def release(self, block, thread):
        self.frees += 1
        self.bytes -= self.live.pop(block)
        self.temporary += self.newest.get(thread) == block

    def end_work(self):
        self.held = self.held or (len(self.live), self.bytes)

    def totals(self):
        """Returns the totals with their names in the JSON."""
        self.end_work()
        return {"allocations": self.allocations, "frees": self.frees,
                "allocated_bytes": self.allocated_bytes, "temporary": self.temporary,
                "peak_bytes": self.peak_bytes, "at_peak_blocks": self.at_peak_blocks,
                "leaked_blocks": len(self.live), "leaked_bytes": self.bytes,
                "held_blocks": self.held[0], "held_bytes": self.held[1]}


def numbers(value):
    return int(value, 0) if re.fullmatch(r"0x[0-9a-f]+|\d+", value) else value


def steps_of(text):
    """Returns (kind, fields, is second moment) in the order of time. At the same tick, what gives
    an address back comes before what takes one."""
    steps = []
    for line in text.splitlines():
        kind, _, rest = line.partition(" ")
        if kind not in (*EVENTS, "thread_start", "thread_end", "work_end"):
            continue
        fields = {key: numbers(value) for key, value in FIELD.findall(rest)}
        steps.append((fields["time"] * 2 + (kind in ("acquire", "map")), kind, fields, False))
        if "duration" in fields:
            end = fields["time"] + fields["duration"]
            steps.append((end * 2 + 1, kind, fields, True))
    return [step[1:] for step in sorted(steps, key=lambda step: step[0])]


class Recount:
    def __init__(self, dump):
        ended = run([reporter(), "text", dump], timeout=120)
        if ended.status != 0:
            raise Failed(f"memtrace-report text: {ended.status} {ended.stderr}")
        self.spaces = {name: self.make_space() for name in ("host", "mmap", "python")}
        self.blocks = {"host": {}, "python": {}}  # by address
        self.pages, self.arenas = {}, set()       # mapping of each page; mappings that are arenas
        self.resizing, self.moving = {}, {}       # by lane
        self.threads, self.ended = {}, {}         # thread of each lane; ended threads, by tid
        self.events = 0
        for kind, fields, is_second in self.steps_of(ended.stdout):
            self.events += kind in EVENTS and not is_second
            self.come_to(fields, is_second)
            getattr(self, kind)(fields, is_second)

    def steps_of(self, text):
        return steps_of(text)

    def make_space(self):
        return Space()

    def come_to(self, fields, is_second):
        """Is called before each step. `is_second`: it is the second moment of a record."""

    def totals(self):
        return {name: space.totals() for name, space in self.spaces.items() if space.allocations}

    def thread(self, fields):
        return self.threads.get(fields["lane"], fields["lane"])

    def thread_start(self, fields, _):
        self.threads[fields["lane"]] = (fields["tid"], self.ended.get(fields["tid"], 0))

    def thread_end(self, fields, _):
        tid = self.thread(fields)[0]
        self.ended[tid] = self.ended.get(tid, 0) + 1

    def work_end(self, *_):
        for space in self.spaces.values():
            space.end_work()

    @staticmethod
    def space_of(fields):
        return "python" if fields["api"].startswith(("PyObject_", "PyMem_")) else "host"

    def acquire_at(self, name, fields):
        blocks = self.blocks[name]
        if fields["address"] in blocks:  # Its resize has not ended yet, but it is gone.
            self.spaces[name].release(blocks[fields["address"]], None)
        blocks[fields["address"]] = self.spaces[name].acquire(fields["size"], self.thread(fields))

    def acquire(self, fields, _):
        self.acquire_at(self.space_of(fields), fields)

    def release(self, fields, _):
        name = self.space_of(fields)
        self.spaces[name].release(self.blocks[name].pop(fields["address"]), self.thread(fields))

    def resize(self, fields, is_second):
        blocks, old = self.blocks["host"], fields["old_address"]
        if not is_second:
            self.resizing[fields["lane"]] = blocks[old]
            return
        if blocks.get(old) == self.resizing[fields["lane"]]:
            self.spaces["host"].release(blocks.pop(old), self.thread(fields))
        self.acquire_at("host", fields)

    def take(self, address, size):
        """Takes pages from their mappings. Returns the mapping of each."""
        return [self.pages.pop(page) for page in range(address, address + size, PAGE)
                if page in self.pages]

    def give_back(self, mappings, thread):
        space = self.spaces["mmap"]
        for mapping in mappings:
            if space.live[mapping] > PAGE:
                space.shrink(mapping, PAGE)
            else:
                space.release(mapping, thread)

    def map(self, fields, _):
        thread = self.thread(fields)
        self.give_back(self.take(fields["address"], fields["size"]), thread)
        mapping = self.spaces["mmap"].acquire(fields["size"], thread)
        if fields.get("purpose") == "python_arena":
            self.arenas.add(mapping)
        for page in range(fields["address"], fields["address"] + fields["size"], PAGE):
            self.pages[page] = mapping

    def unmap(self, fields, _):
        thread, begin = self.thread(fields), fields["address"]
        end = begin + fields["size"]
        objects = self.blocks["python"]
        for address in [one for one in objects if begin <= one < end]:
            if self.pages.get(address // PAGE * PAGE) in self.arenas:
                self.spaces["python"].release(objects.pop(address), thread)
        self.give_back(self.take(begin, fields["size"]), thread)

    def remap(self, fields, is_second):
        if not is_second:
            self.moving[fields["lane"]] = self.take(fields["old_address"], fields["old_size"])
            return
        self.give_back(self.moving.pop(fields["lane"]), self.thread(fields))
        self.map({**fields, "purpose": "unknown"}, False)
