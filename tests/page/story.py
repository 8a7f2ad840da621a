#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The program whose page is tested: a leak, a cache, phases, marks, and names that are markup.

Every name that a program can choose is hostile somewhere: arguments, functions, files, marks.
Two threads read, and one of them keeps what it has read. With the argument "next" the program is
its own next version, with which it is compared: old() is gone, fresh() is new, the cache is larger.
"""
import ctypes
import sys
import threading
import time

MARKUP = "<img src=x onerror=alert(1)>'\"&</script><script>alert(2)</script>"
TERMINAL = "\x1b[31mred\x07\x1b]0;title\x07"


def shim_function(name):
    try:
        return getattr(ctypes.CDLL(None), name)
    except AttributeError:  # runs without memtrace
        return lambda text: None


mark, begin, end = map(shim_function, ("memtrace_mark", "memtrace_begin", "memtrace_end"))


def named(name, file="/home/me/story.py", line=7):
    """Returns a function with any name that allocates."""
    def allocate(size):
        return bytearray(size)
    allocate.__code__ = allocate.__code__.replace(co_name=name, co_filename=file,
                                                  co_firstlineno=line)
    return allocate


HOSTILE = [
    named(MARKUP), named("two\nlines\r\n"), named(TERMINAL), named("long" * 25_000),
    named("file", "/home/me/" + MARKUP.replace("/", "\\") + ".py"),
    named("bytes", b"/home/me/\xff\xfe.py".decode(errors="surrogateescape")),
    named("file of 100,000", "/home/me/" + "x" * 100_000 + ".py"),
]
IS_NEXT = "next" in sys.argv
kept, cache = [], {}


def leak(step):
    kept.append(bytearray(5000))


def remember(step):
    cache[step % 10] = bytearray(60_000 if IS_NEXT else 20_000)


def old():
    kept.append(bytearray(400_000))


def fresh():
    kept.append(bytearray(900_000))


def read(size, count):
    for _ in range(count):
        kept.append(bytearray(size)) if size > 10_000 else bytearray(size)


def work(step):
    blocks = [bytearray(1000 + step) for _ in range(50)]
    if step == 30:
        blocks.append(bytearray(3_000_000))
    return len(blocks)


def main():
    begin(b"setup " + MARKUP.encode())
    names = [allocate(10_000) for allocate in HOSTILE]
    fresh() if IS_NEXT else old()
    end(b"setup " + MARKUP.encode())
    begin(b"work")
    readers = [threading.Thread(target=read, args=size) for size in ((30_000, 20), (4_000, 70))]
    for reader in readers:
        reader.start()
    for step in range(60):
        begin(f"step {step}".encode())
        leak(step)
        remember(step)
        work(step)
        time.sleep(0.012)
        end(f"step {step}".encode())
    for reader in readers:
        reader.join()
    end(b"work")
    mark(TERMINAL.encode() + b"\xff")
    return len(names)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
