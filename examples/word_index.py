# Makes an index of the words of some made-up pages, with threads, and keeps what it should not.
# docs/use/reports.md shows each report of memtrace-report on a recording of this program.
#
#   memtrace run -- python3 examples/word_index.py
import ctypes
import queue
import random
import threading

SYLLABLES = ["ba", "ce", "di", "fo", "gu", "ha", "ki", "lo", "mu", "ne"]
ROUNDS, PAGES, WORDS = 40, 60, 400

program = ctypes.CDLL(None)


def phase(name):
    """Begins a phase, and returns the function that ends it. Without memtrace nothing happens."""
    if not hasattr(program, "memtrace_begin"):
        return lambda: None
    program.memtrace_begin(name.encode())
    return lambda: program.memtrace_end(name.encode())


def make_page(words):
    made = ("".join(random.choices(SYLLABLES, k=random.randint(1, 4))) for _ in range(words))
    return " ".join(made)


class Index:
    def __init__(self):
        self.places = {}
        self.log = []
        self.lock = threading.Lock()

    def add_page(self, number, text):
        for place, word in enumerate(text.split()):
            with self.lock:
                self.places.setdefault(word, []).append((number, place))
        self.log.append(text.encode())  # Nobody reads it: a leak.

    def forget_rare(self):
        rare = [word for word, places in self.places.items() if len(places) < 20]
        for word in rare:
            del self.places[word]


def worker(index, name, pages):
    program.prctl(15, name)  # PR_SET_NAME, which reports show
    while (number := pages.get()) is not None:
        index.add_page(number, make_page(WORDS))
        pages.task_done()


def main():
    random.seed(1)
    index, pages = Index(), queue.Queue()
    readers = [threading.Thread(target=worker, args=(index, b"reader %d" % number, pages))
               for number in range(3)]
    for reader in readers:
        reader.start()
    for _ in range(ROUNDS):
        end = phase("read")
        for number in range(PAGES):
            pages.put(number)
        pages.join()
        end()
        end = phase("forget")
        index.forget_rare()
        end()
    for _ in readers:
        pages.put(None)
    for reader in readers:
        reader.join()
    print(len(index.places), "words,", len(index.log), "pages")


main()
