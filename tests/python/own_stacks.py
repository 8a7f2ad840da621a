# SPDX-License-Identifier: Apache-2.0
"""Allocates blocks of unique sizes, and prints its own stack for each block: one line of JSON,
[size, [[file, line, name], ...]], innermost first."""

import asyncio
import ctypes
import functools
import json
import sys
import threading

libc = ctypes.CDLL(None)  # without the GIL
malloc = libc.malloc
malloc.restype = ctypes.c_void_p
malloc.argtypes = [ctypes.c_size_t]
malloc_with_gil = ctypes.PyDLL(None).malloc
malloc_with_gil.restype = ctypes.c_void_p
malloc_with_gil.argtypes = [ctypes.c_size_t]

sizes = iter(range(10_000_019, 20_000_000, 1_024))


def noted():
    """Records the caller's stack and returns a size."""
    size = next(sizes)
    frames = []
    frame = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        name = getattr(code, "co_qualname", code.co_name)
        frames.append([code.co_filename, frame.f_lineno, name])
        frame = frame.f_back
    print(json.dumps([size, frames]), flush=True)
    return size


def leaf():
    return malloc(noted())


def nested():
    return leaf()


class Thing:
    attribute = malloc(noted())

    def __init__(self):
        malloc(noted())

    def method(self):
        return [malloc(noted()) for _ in range(2)]

    @property
    def value(self):
        return malloc_with_gil(noted())

    @staticmethod
    def static():
        return (lambda: malloc(noted()))()


def decorated(function):
    @functools.wraps(function)
    def wrapper(*arguments):
        return function(*arguments)
    return wrapper


@decorated
def recursive(depth):
    if depth > 0:
        return recursive(depth - 1)
    return malloc(noted())


def generator(count):
    for _ in range(count):
        yield malloc(noted())


def delegating():
    yield from generator(2)


async def innermost():
    await asyncio.sleep(0)
    return malloc(noted())


async def outer():
    return await innermost()


def compare(value):
    malloc(noted())
    return -value


def lines_of_one_call():
    return [
        malloc(noted()),
        malloc_with_gil(noted()),
    ]


def main():
    nested()
    thing = Thing()
    thing.method()
    thing.value
    thing.static()
    recursive(40)
    list(delegating())
    asyncio.run(outer())
    sorted([3, 1, 2], key=compare)
    list(map(compare, [1, 2]))
    lines_of_one_call()
    for number in range(5):
        exec(compile(f"\n\ndef made_{number}():\n    malloc(noted())\nmade_{number}()\n",
                     f"made_{number}.py", "exec"), {"malloc": malloc, "noted": noted})
    threads = [threading.Thread(target=nested) for _ in range(3)]
    for thread in threads:
        thread.start()
        thread.join()
    try:
        raise KeyError
    except KeyError:
        malloc(noted())


main()
