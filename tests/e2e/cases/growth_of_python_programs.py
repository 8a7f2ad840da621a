"""Programs in Python whose growth is easily judged wrongly: each is what it is, for its reason."""
from checks import growth_of_python, line_of
from harness import expect, require

# Imports first, then small dictionaries only.
IDLE = """import time
import asyncio, json, email.mime.text, unittest.mock, xml.dom.minidom, http.server
import concurrent.futures, multiprocessing.pool, logging.config, argparse, decimal, typing
end = time.time() + 3
while time.time() < end:
    d = {str(i): [i, i + 1] for i in range(5)}
"""
# Each step leaves a cycle, and the collector, which counts objects and not bytes, has not run yet.
CYCLES = """class Batch:
    def __init__(self):
        self.data = bytearray(200_000)
        self.me = self
def step(i):
    Batch()
    return [bytearray(1000) for _ in range(50)]
for i in range(150):
    step(i)
"""
# Every third round keeps 8 MB by a view. The run takes a fraction of a second.
EVERY_THIRD = """cache = []
def work(n):
    total = 0
    for i in range(n):
        a = bytearray(8_000_000)
        total += len(a)
        if i % 3 == 0:
            cache.append(memoryview(a)[:10])
    return total
work(30)
"""
# Two epochs of 40 steps, and something is kept in each.
SHORT = """kept = []
def train():
    for epoch in range(2):
        for i in range(40):
            batch = bytearray(30_000)
            kept.append(bytearray(4_000))
train()
"""
# Data is built, and the program ends.
BUILDS = """def load():
    return [bytearray(2_000 + i % 7) for i in range(5_000)]
data = load()
print(sum(map(len, data)))
"""
# Rooms of a list are given back: a window of the last hundred.
WINDOW = """import collections
last = collections.deque(maxlen=100)
for i in range(3000):
    last.append(bytearray(2_000))
"""


def what_came_with_imports_does_not_grow():
    expect(growth_of_python("idle", IDLE).findings("leak", "growing"), [], "idle")


def cycles_are_said_to_be_freed_when_python_ends():
    ran = growth_of_python("cycles", CYCLES)
    found = ran.findings("leak", "growing")[0]
    expect(found["own"]["line"], line_of(CYCLES, "bytearray(200_000)"), "cycles: where")
    expect((found["verdict"], found["reason"]), ("growing", "freed_when_python_ended"), "cycles")
    require("cycles not yet collected" in ran.text, ran.text)


def what_is_kept_in_every_third_round_is_found():
    ran = growth_of_python("every_third", EVERY_THIRD)
    first = ran.data["findings"][0]
    expect(first["verdict"], "growing", "every third")
    expect(first["own"]["line"], line_of(EVERY_THIRD, "bytearray(8_000_000)"), "every third: where")
    # One more may be alive because the last round's variable still has it.
    require(first["kept"] in (10, 11) and first["of"] in (29, 30), f"{first['kept']} {first['of']}")
    require("one in every" in ran.text, ran.text)
    expect(ran.findings("cache"), [], "every third: caches")


def short_runs_are_judged_by_their_steps():
    ran = growth_of_python("short", SHORT)
    first = ran.data["findings"][0]
    require(first["verdict"] in ("growing", "leak"), f"{first}")
    expect(first["own"]["line"], line_of(SHORT, "bytearray(4_000)"), "short: where")
    require(first["kept"] >= 75, f"{first['kept']}")


def data_is_no_leak():
    expect(growth_of_python("builds", BUILDS).findings("leak"), [], "builds")
    expect(growth_of_python("window", WINDOW).findings("leak", "growing"), [], "window")


def test():
    what_came_with_imports_does_not_grow()
    cycles_are_said_to_be_freed_when_python_ends()
    what_is_kept_in_every_third_round_is_found()
    short_runs_are_judged_by_their_steps()
    data_is_no_leak()
