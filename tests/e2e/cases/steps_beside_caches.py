"""Loops of Python beside a function whose answers are kept by functools: it takes memory for new
keys only. The number of iterations is right or is not given."""
from loop_truth import check_python

HEAD = """import functools
import random
rnd = random.Random(7)
def key():
    return rnd.getrandbits(40) if rnd.random() < 0.7 else 5
def work(n):
    parts = [bytes(1000) for _ in range(n)]
    return len(parts)
"""
# name: (the function, a call of it)
CACHES = {
    "lru": ("@functools.lru_cache(maxsize=None)\ndef render(key):\n    return bytes(900)\n",
            "render(key())"),
    "bounded": ("@functools.lru_cache(maxsize=500)\ndef render(key):\n    return bytes(900)\n",
                "render(key())"),
    "cache": ("@functools.cache\ndef render(key):\n    return bytes(900), bytes(901)\n",
              "render(key())"),
    "nested": ("@functools.cache\ndef make(key):\n    return [bytes(900 + i) for i in range(3)]\n"
               "def render(key):\n    return make(key)\n", "render(key())"),
    "property": ("class Page:\n    @functools.cached_property\n    def text(self):\n"
                 "        return [bytes(900), bytes(901)]\n"
                 "pages = [Page() for _ in range(2000)]\n", "pages[rnd.randrange(2000)].text"),
    "dict": ("kept = {}\ndef render(key):\n    if key not in kept:\n"
             "        kept[key] = bytes(900), bytes(901)\n    return kept[key]\n", "render(key())"),
}
PROGRAMS = {name: f"""{HEAD}{function}def main():
    for number in range(3000):  #? 3000
        work(2)
        {call}
main()
""" for name, (function, call) in CACHES.items()}
# What is taken in each iteration behind it tells them apart.
PROGRAMS |= {f"{name}_and_more": f"""{HEAD}{function}def main():
    for number in range(3000):  #? 3000
        first = bytearray(2000)
        {call}
        last = bytearray(3000), work(3)
main()
""" for name, (function, call) in CACHES.items()}
PROGRAMS["uncached"] = f"""{HEAD}@functools.lru_cache(maxsize=0)
def render(key):
    return bytes(900)
def main():
    for number in range(3000):  #* 3000
        first = bytearray(2000)
        render(3)
main()
"""


def test():
    check_python(PROGRAMS)
