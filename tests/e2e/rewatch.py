# Counts a dump a second time, as recount.py does, and notes what becomes of each block: when it was
# acquired and released, by which thread, and after how many events.
import bisect
import heapq
import re

import recount
from harness import expect, reporter, run

STEPS = (*recount.EVENTS, "thread_start", "thread_end", "work_end")
CLOCK = re.compile(r"^clock(?: lane=\d+)? time=(\d+) monotonic_ns=(\d+)", re.MULTILINE)


class Times:
    """Converts ticks to nanoseconds, along straight lines between the clock records."""

    def __init__(self, text):
        self.anchors = []
        for time, ns in sorted((int(time), int(ns)) for time, ns in CLOCK.findall(text)):
            if not self.anchors or (time > self.anchors[-1][0] and ns > self.anchors[-1][1]):
                self.anchors.append((time, ns))
        first, last = self.anchors[0], self.anchors[-1]
        elapsed = last[1] - first[1]
        assert elapsed >= 1_000_000, "the program runs for more than a millisecond"
        self.slope = elapsed / (last[0] - first[0])
        self.start = -float(first[0]) * self.slope

    def ns(self, ticks):
        after = bisect.bisect_right(self.anchors, (ticks, float("inf")))
        first, before = self.anchors[0], self.anchors[max(after - 1, 0)]
        slope = self.slope
        if 0 < after < len(self.anchors):
            later = self.anchors[after]
            slope = float(later[1] - before[1]) / float(later[0] - before[0])
        found = float(before[1] - first[1]) + float(ticks - before[0]) * slope - self.start
        return int(found + 0.5) if found > 0 else 0


class Block:
    def __init__(self, size, time, event, thread):
        self.size, self.time, self.event, self.thread = size, time, event, thread
        self.end_time = self.end_event = self.end_thread = None
        self.temporary = False

    @property
    def events(self):
        return self.end_event - self.event


class Space(recount.Space):
    """Also keeps every block, and every change of what is held: (time in ticks, bytes)."""

    def __init__(self, owner):
        super().__init__()
        self.owner, self.blocks, self.changes = owner, {}, []

    def acquire(self, size, thread):
        number = super().acquire(size, thread)
        self.blocks[number] = Block(size, self.owner.time, self.owner.events, thread)
        self.changes.append((self.owner.time, self.bytes))
        return number

    def shrink(self, block, size):
        super().shrink(block, size)
        self.changes.append((self.owner.time, self.bytes))

    def release(self, block, thread):
        before = self.temporary
        super().release(block, thread)
        of = self.blocks[block]
        of.end_time, of.end_event, of.end_thread = self.owner.time, self.owner.events, thread
        of.temporary = self.temporary > before
        self.changes.append((self.owner.time, self.bytes))


class Rewatch(recount.Recount):
    def __init__(self, dump):
        self.time = 0
        text = run([reporter(), "text", dump], timeout=120)
        expect(text.status, 0, "memtrace-report text")
        self.times = Times(text.stdout)
        self.last_tick = max(int(time) for time in re.findall(r" time=(\d+)", text.stdout))
        super().__init__(dump)

    def steps_of(self, text):
        """Returns the steps in the order of time. What several threads did at the same tick is in
        the order of memtrace-report: it stays with a lane until another one has what is older."""
        lanes = {}
        for line in text.splitlines():
            kind, _, rest = line.partition(" ")
            if " lane=" not in line or kind == "node":
                continue
            fields = {key: recount.numbers(value) for key, value in recount.FIELD.findall(rest)}
            steps = lanes.setdefault(fields["lane"], [])
            takes = kind in ("acquire", "map")
            steps.append((fields["time"] * 2 + takes, kind, fields, False))
            if kind in ("resize", "remap"):
                end = fields["time"] + fields["duration"]
                steps.append((end * 2 + 1, kind, fields, True))
        waiting = [(steps[0][0], lane) for lane, steps in lanes.items()]
        heapq.heapify(waiting)
        begun = dict.fromkeys(lanes, 0)
        while waiting:
            lane = heapq.heappop(waiting)[1]
            steps, limit = lanes[lane], waiting[0][0] if waiting else float("inf")
            while begun[lane] < len(steps) and steps[begun[lane]][0] <= limit:
                _, kind, fields, is_second = steps[begun[lane]]
                begun[lane] += 1
                if kind in STEPS:
                    yield kind, fields, is_second
            if begun[lane] < len(steps):
                heapq.heappush(waiting, (steps[begun[lane]][0], lane))

    def make_space(self):
        return Space(self)

    def come_to(self, fields, is_second):
        self.time = fields["time"] + (fields["duration"] if is_second else 0)
