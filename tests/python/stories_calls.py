# SPDX-License-Identifier: Apache-2.0
"""Stories of the ways in which Python goes from one frame to the next."""

import asyncio
import contextlib
import functools

from told import both, story


@story
def calls():
    def down(depth):
        if depth == 0:
            return both()
        return down(depth - 1)
    for depth in list(range(40)) + [200, 5, 200, 6, 0]:
        down(depth)


class Thing:
    def __init__(self, depth=0):
        both()
        if depth:
            Thing(depth - 1)

    def method(self):
        both()

    @classmethod
    def of_class(cls):
        both()

    @staticmethod
    def of_nothing():
        both()

    @property
    def value(self):
        both()

    def __getattr__(self, name):
        both()
        return name

    def __getitem__(self, key):
        both()

    def __del__(self):
        both()

    def __lt__(self, other):
        both()
        return False


def decorated(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        both()
        return function(*args, **kwargs)
    return wrapper

@decorated
@functools.lru_cache(maxsize=None)
@decorated
def target(number):
    both()
    return number


@story
def many_kinds_of_calls():
    for round_ in range(30):
        thing = Thing(round_ % 3)
        thing.method()
        Thing.of_class()
        thing.of_nothing()
        thing.value
        thing.missing
        thing[1]
        target(round_ % 5)
        functools.partial(thing.method)()
        (lambda: both())()
        (lambda: (lambda: both())())()
        sorted([Thing(), Thing()])
        list(map(lambda _: both(), [1, 2]))
        [both() for _ in range(2)]
        {both() for _ in range(2)}
        {i: both() for i in range(2)}
        list(both() for _ in range(2))
        max([1, 2], key=lambda n: both() or n)
        type("Made", (), {"__init_subclass__": classmethod(lambda cls: both())})

        class Body:
            both()
            inner = [both() for _ in range(2)]
        del thing


@story
def generators():
    def numbers(depth):
        both()
        if depth:
            yield from numbers(depth - 1)
        for number in range(2):
            both()
            try:
                yield number
            finally:
                both()
        both()

    def echo():
        while True:
            try:
                both()
                yield
            except ValueError:
                both()

    for _ in range(20):
        for number in numbers(4):
            both()
        half_way = numbers(3)
        next(half_way)
        half_way.close()
        talker = echo()
        next(talker)
        talker.send(1)
        talker.throw(ValueError())
        del talker
        list(zip(numbers(1), numbers(2)))
        list((number, both()) for number in numbers(1))


@story
def coroutines():
    async def inner():
        both()
        await asyncio.sleep(0)
        both()

    async def middle():
        both()
        await inner()
        async with manager():
            both()
        async for _ in stream():
            both()
        return [both() async for _ in stream()]

    async def stream():
        for _ in range(3):
            both()
            yield 1

    @contextlib.asynccontextmanager
    async def manager():
        both()
        yield
        both()

    async def outer():
        await asyncio.gather(*(middle() for _ in range(3)))
        both()

    for _ in range(5):
        asyncio.run(outer())


@story
def exceptions():
    def fails(depth):
        try:
            if depth == 0:
                raise ValueError()
            fails(depth - 1)
        except ValueError as error:
            both()
            raise KeyError() from error
        except KeyError:
            both()
            raise
        finally:
            both()

    for depth in (0, 1, 5) * 10:
        with contextlib.suppress(KeyError):
            fails(depth)
        try:
            fails(depth)
        except KeyError as error:
            held = error.__traceback__
            both()
        del held
