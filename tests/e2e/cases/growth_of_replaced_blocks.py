"""A block that is replaced by a larger one in each round, as pandas.concat() does with a table: it
is no cache that is full, wherever the slices of the run end. One that is replaced by another of any
size does not grow."""
from checks import dump_of, written
from harness import PYTHON, expect, reporter, require, run

GROWS = """import time
class Store:
    data = b""
store = Store()
def add():
    old = store.data
    new = old + bytes(30_000)
    time.sleep(0.001)  # Most slices end here, where both are there.
    store.data = new
for _ in range(300): add()
"""

VARIES = """import random, time
random.seed(1)
class Store:
    data = b""
store = Store()
def replace():
    store.data = bytes(random.randint(1_000_000, 4_000_000))
    time.sleep(0.001)
for _ in range(300): replace()
"""


def growth(name, source):
    dump = dump_of([PYTHON, written(name + ".py", source)])
    ended = run([reporter(), "growth", dump])
    expect(ended.status, 0, ended.stderr)
    judged = run([reporter(), "check", "--max-growth-per-hour", "1M", dump])
    return " ".join(ended.stdout.split()), judged.status


def test():
    text, status = growth("grows", GROWS)
    require("growing, not sure" in text and "made larger" in text, text)
    require("loaded" not in text.split("host:")[1].split("mmap:")[0], text)
    expect(status, 3, "check does not pass what grows")
    text, status = growth("varies", VARIES)
    require("No call site grows steadily" in text, text)
    expect(status, 0, text)
