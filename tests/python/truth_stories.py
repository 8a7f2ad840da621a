# SPDX-License-Identifier: Apache-2.0
"""Runs the stories of stories_*.py and a few more under the shim: truth_stories.py truths COUNT

Makes about COUNT allocations, each with a unique size and a note (truth.py).
"""

import ctypes
import functools
import os
import sys
import threading

import stories_calls
import stories_many
import stories_processes
from told import both, walks

bouncer = ctypes.CDLL(os.environ["TRUTH_BOUNCE"])
Callback = ctypes.CFUNCTYPE(None)
bouncer.bounce.argtypes = bouncer.bounce_on_thread.argtypes = [Callback]
bouncer.allocate_on_thread.argtypes = [ctypes.c_size_t]

TOLD = [stories_calls.calls, stories_calls.many_kinds_of_calls, stories_calls.generators,
        stories_calls.coroutines, stories_calls.exceptions, stories_many.freed_code,
        stories_many.same_place, stories_many.names, stories_many.alternating, stories_many.mixed,
        stories_many.threads, stories_many.tracing, stories_processes.greenlets]


def told_here(function):
    TOLD.append(function)
    return function


@told_here
def deep_recursion():
    def down(depth):
        if depth == 0:
            both()
            return both()
        return down(depth - 1)
    sys.setrecursionlimit(10000)
    for depth in (900, 1500, 980, 3000, 1500, 1500, 10):
        down(depth)


@told_here
def through_c():
    """Python, C, Python, C: each function called by C has its C function outside it."""
    def down(depth):
        both()
        if depth % 3 == 1:
            def bounced():
                both()
                down(depth - 1)
            bouncer.bounce(Callback(bounced))
            both()
        elif depth > 0:
            functools.partial(down, depth - 1)()
    for depth in list(range(12)) * 8:
        down(depth)


@told_here
def foreign_threads():
    """C starts threads: some call Python, others never do."""
    def bounced():
        both()
        (lambda: both())()
    for _ in range(30):
        bouncer.bounce_on_thread(Callback(bounced))
        bouncer.allocate_on_thread(walks.note_no_frames())
    threads = [threading.Thread(target=foreign_in_thread) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def foreign_in_thread():
    def bounced():
        both()
    for _ in range(20):
        bouncer.bounce_on_thread(Callback(bounced))
        both()


@told_here
def forked_children():
    def child():
        both()
        thread = threading.Thread(target=both)
        thread.start()
        thread.join()

    def fork():
        pid = os.fork()
        if pid == 0:
            child()
            os._exit(7)
        assert os.waitpid(pid, 0)[1] == 7 << 8
        both()
    for _ in range(2):
        fork()
        thread = threading.Thread(target=fork)
        thread.start()
        thread.join()


def main():
    for function in TOLD:
        print("%-22s%s" % (function.__name__, function() or "told"), flush=True)


main()
