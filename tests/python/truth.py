# SPDX-License-Identifier: Apache-2.0
"""Lets a program record its own stacks: each of its allocations with the frames that it has at that
moment. truth_check compares the dump with these notes, one by one.

Each allocation has a unique size and is made by memalign(), which nothing else calls. The notes are
in $TRUTHS.<pid>.<number>, so a forked child, or another interpreter of the process, has its own
file:

    f 7 41 train.py Model.step      frame 7: line, file, qualified name; between them tabs
    a 1003 12 7 5                   1003 bytes, in frame 12, called by 7, called by 5
    r 1004 12 7 5                   any number of such allocations, each of 1004 bytes

A note is written before the allocation, with a bare write, so it exists whatever happens then. Runs
on every interpreter from 3.8 on.
"""

import itertools
import os
import sys

TEXT_MAX = 4096  # characters that the shim keeps of a text

try:
    if "TRUTH_WITHOUT_CTYPES" in os.environ:  # Embedded programs use another way.
        raise ImportError
    import ctypes
except ImportError:
    memalign_held = memalign_released = free = None
else:
    memalign_held = ctypes.PyDLL(None).memalign  # with the GIL
    memalign_released = ctypes.CDLL(None).memalign
    free = ctypes.CDLL(None).free
    for function in (memalign_held, memalign_released):
        function.restype = ctypes.c_void_p
        function.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
    free.argtypes = [ctypes.c_void_p]


before_3_10 = sys.version_info < (3, 10)


def line_of(code, offset):
    """Up to 3.9, f_lineno of a traced frame is the line of its last event, not its current line:
    a jump into the middle of a line makes no event."""
    import dis  # Not every embedded interpreter has dis.
    return max((start, line) for start, line in dis.findlinestarts(code) if start <= offset)[1]


class Truths:
    """`first` is the first size. Another interpreter in the same process uses another first size.

    Keeps its own references, because modules are emptied when the interpreter ends.
    """

    def __init__(self, first=1):
        self.held, self.released, self.free = memalign_held, memalign_released, free
        self.write, self.getframe, self.str = os.write, sys._getframe, str
        self.next, self.getattr, self.text_max = next, getattr, TEXT_MAX
        self.sizes = itertools.count(first)
        self.first = first
        self.compared = 0
        self.library = self.library_released = self  # as in pywalk.Walks
        self.begin_file()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.begin_file)

    def begin_file(self):
        self.frames = {}
        self.numbers = itertools.count(1)
        path = "%s.%d.%d" % (os.environ.get("TRUTHS", "/tmp/truths"), os.getpid(), self.first)
        self.file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)

    def number_of(self, frame):
        code = frame.f_code
        name = self.getattr(code, "co_qualname", code.co_name)
        line = frame.f_lineno or 0
        if frame.f_trace is not None and before_3_10:
            line = line_of(code, frame.f_lasti)
        key = (line, code.co_filename[:self.text_max], name[:self.text_max])
        number = self.frames.get(key)
        if number is None:
            number = self.next(self.numbers)
            line = "f\t%d\t%d\t%s\t%s\n" % ((number,) + key)
            self.write(self.file, line.encode("utf-8", "surrogateescape"))
            self.frames[key] = number
        return number

    def noted_for_many(self):
        """Returns the size for any number of allocations of a C function that the caller calls."""
        return self.noted(2, "r")

    def noted(self, depth=1, word="a"):
        """Records the caller's stack and returns the size for an allocation of the caller."""
        size = self.next(self.sizes)
        frame = self.getframe(depth)
        words = [word, self.str(size)]
        while frame is not None:
            words.append(self.str(self.number_of(frame)))
            frame = frame.f_back
        self.write(self.file, (" ".join(words) + "\n").encode())
        self.compared += 1
        return size

    def note_no_frames(self):
        """Returns the size for an allocation that no Python function makes."""
        size = self.next(self.sizes)
        self.write(self.file, b"a %d\n" % size)
        self.compared += 1
        return size

    def check(self, allocate=None):
        self.free((allocate or self.held)(64, self.noted()))

    def quick(self):
        self.free(self.held(64, self.noted()))

    def both(self):
        self.check(self.held)
        self.check(self.released)

    # The other functions of a walk that stories use.

    def pywalk_repeat(self, _):
        self.quick()

    @staticmethod
    def pywalk_codes_bytes():
        return 0

    def expect_no_problems(self):
        pass
