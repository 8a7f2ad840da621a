# Makes and drops small objects: own_objects.py STORY. Each story does so in its own way. The
# objects are counted outside (tests/oracle/python_oracle.c).
import gc
import os
import sys
import threading
import time


class Thing:
    def __init__(self, number):
        self.number = number
        self.name = str(number)


def make(count=400):
    """Makes lists, dicts, strings, integers, instances, sets, and bytes that grow."""
    kept = [Thing(i) for i in range(count)]
    table = {i * 1000003: (i, str(i), float(i)) for i in range(count)}
    words = {"word %d" % i for i in range(count)}
    rows = []
    for i in range(count // 10):
        row = []
        for j in range(i % 90):  # grows beyond the arenas, and shrinks again
            row.append(j * 100003)
        del row[5:]
        rows.append(row)
    data = bytearray()
    for i in range(700):
        data += b"x"
    text = "".join(chr(33 + i % 90) for i in range(count))
    return kept, table, words, rows, data, text


def plain():
    kept = make()
    del kept
    gc.collect()


def kept():
    global forever
    forever = make()


def cycles():
    for i in range(1500):
        one, other = Thing(i), Thing(i)
        one.other, other.other = other, one


def threads():
    workers = [threading.Thread(target=make) for _ in range(4)]
    for worker in workers:
        worker.start()
    make()
    for worker in workers:
        worker.join()


def daemon():
    """Lets the interpreter end while a thread still makes objects."""
    def go_on():
        while True:
            make(200)
    threading.Thread(target=go_on, daemon=True).start()
    time.sleep(0.05)


def fork():
    before = make()
    child = os.fork()
    if child == 0:
        after = make()
        del before, after
        make(500)
        sys.exit(0)
    os.waitpid(child, 0)
    del before


def at_once():
    make()
    print("done", flush=True)
    os._exit(0)


def traced():
    import tracemalloc
    tracemalloc.start(5)
    before = make()
    tracemalloc.stop()
    after = make()
    tracemalloc.start()
    del before, after
    make()


def interpreters():
    names = ("_interpreters", "_xxsubinterpreters")
    module = next((found for found in map(find_module, names) if found), None)
    if module is None:
        return
    for _ in range(3):
        one = module.create()
        module.run_string(one, "x = [str(i) for i in range(3000)]; y = {i: str(i) for i in x}")
        module.destroy(one)
        make(300)


def find_module(name):
    try:
        return __import__(name)
    except ImportError:
        return None


if __name__ == "__main__":
    globals()[sys.argv[1]]()
    print("done")
