# SPDX-License-Identifier: Apache-2.0
"""Stories of frames and code objects at the same addresses, of threads, and of large numbers."""

import cProfile
import ctypes
import functools
import random
import sys
import threading
import types

from pywalk import FRAMES_MAX, NO_THREAD_STATE, OK, TRUNCATED, Difference
from told import WANTED, both, check, story, walks


@story
def freed_code():
    """Code objects reuse addresses of earlier ones, and run in frames at the same addresses."""
    seen, again = set(), 0
    source = "def f%d(check):\n" + "\n" * 3 + "    check()\n    return 1\nf%d(check)\n"
    for number in range(max(2000, WANTED // 20)):
        wanted = "<text %d>" % (number % 97)
        module = compile(source % (number % 89, number % 89), wanted, "exec")
        again += id(module) in seen
        seen.add(id(module))
        exec(module, {"check": check})
        del module
        check()
    if again == 0:
        raise Difference("no code object's address came again")
    if walks.library.pywalk_codes_bytes() > 8 << 20:
        raise Difference("the code table grows with code that is gone")


@story
def same_place():
    """Frame address, instruction and file are the same. Only the code object differs."""
    def leaf():
        check()
    original, leaf = leaf.__code__, None
    last, again = 0, 0
    for number in range(max(2000, WANTED // 20)):
        code = None  # Frees the previous code object: a function lives only during its call.
        code = original.replace(co_firstlineno=number + 1)
        again += id(code) == last
        last = id(code)
        types.FunctionType(code, globals())()
    if again == 0:
        raise Difference("no code object came to the address of the one before")


@story
def names():
    for name in ("plain", "gr\u00fc\u00dfe", "\u03bb\u03cc\u03b3\u03bf\u03c2", "\U00010330x"):
        for file in ("a.py", "\u00e9t\u00e9.py", "\u30d5\u30a1\u30a4\u30eb.py", "\U0001f600.py"):
            exec(compile("def %s(check):\n    check()\n%s(check)\n" % (name, name), file, "exec"),
                 {"check": check})
    exec(compile("check()", "f" * 5000, "exec"), {"check": check})


@story
def deep_recursion():
    def down(depth):
        if depth == 0:
            buffer = walks.buffer()
            length = walks.held(buffer, FRAMES_MAX)
            walks.compare(buffer, length, sys._getframe(), status)
            length = walks.held(buffer, FRAMES_MAX)
            return walks.compare(buffer, length, sys._getframe(), status)
        return down(depth - 1)
    sys.setrecursionlimit(10000)
    for depth, status in ((900, OK), (1500, TRUNCATED), (980, OK), (3000, TRUNCATED),
                          (1500, TRUNCATED), (1500, TRUNCATED), (10, OK)):
        down(depth)


@story
def alternating():
    """The same leaf runs at the same address below two callers, in turn."""
    def leaf():
        walks.quick()

    def hot_a():
        leaf()

    def hot_b():
        leaf()

    by_partial = functools.partial(leaf)
    by_wrapper = leaf.__call__  # the same frames, from another place in the C stack

    def either(function):
        function()
    for _ in range(WANTED // 8):
        hot_a()
        hot_b()
        either(leaf)
        either(by_partial)
        either(by_wrapper)
        either(by_partial)
        either(leaf)
        either(hot_a)


@story
def mixed():
    """Calls of all kinds in random order."""
    choose = random.Random(1).random

    class Node:
        def __init__(self, depth):
            self.depth = depth
            step(depth)

        def method(self):
            step(self.depth)

    def by_generator(depth):
        step(depth)
        yield depth
        step(depth)

    def step(depth):
        if choose() < 0.4:
            walks.quick()
        if depth <= 0:
            return
        kind = choose()
        if kind < 0.3:
            step(depth - 1)
        elif kind < 0.4:
            Node(depth - 2)
        elif kind < 0.5:
            functools.partial(step, depth - 2)()
        elif kind < 0.6:
            for _ in by_generator(depth - 3):
                walks.quick()
        elif kind < 0.7:
            [step(depth - 4) for _ in range(3)]
        elif kind < 0.8:
            sorted([1, 2], key=lambda _: step(depth - 4) or 0)
        elif kind < 0.85:
            exec("step(depth)", {"step": step, "depth": depth - 3})
        else:
            step(depth - 1)
            walks.quick()
            step(depth - 2)
    start = walks.compared
    while walks.compared - start < WANTED:
        step(1 + int(choose() * 16))


@story
def threads():
    """Eight threads at once, with and without the GIL."""
    failures = []

    def work(seed):
        choose = random.Random(seed)

        def down(depth):
            if depth:
                down(depth - 1)
            check(choose.choice((walks.held, walks.released)))
        try:
            for _ in range(WANTED // 800):
                down(choose.randrange(16))
                walks.library_released.pywalk_repeat(20)
        except Difference as error:
            failures.append(error)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    for _ in range(3):
        all_ = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
        for thread in all_:
            thread.start()
        for thread in all_:
            thread.join()
    sys.setswitchinterval(before)
    if failures:
        raise failures[0]


@story
def foreign_threads():
    foreign = walks.library_released.pywalk_on_foreign_thread
    if foreign(None) != NO_THREAD_STATE:
        raise Difference("a thread that Python never saw has a stack")
    failures = []

    def called():
        try:
            both()
        except Difference as error:
            failures.append(error)
    for _ in range(50):
        foreign(ctypes.CFUNCTYPE(None)(called))
    if failures:
        raise failures[0]


@story
def tracing():
    def traced(depth):
        total = 0
        for number in range(3):
            total += number
        return traced(depth - 1) if depth else both()

    def tracer(frame, event, argument):
        walks.quick()
        return tracer
    for install in (sys.settrace, sys.setprofile):
        install(tracer)
        try:
            traced(5)
        finally:
            install(None)
    profile = cProfile.Profile()
    profile.runcall(traced, 5)
    both()
