# SPDX-License-Identifier: Apache-2.0
"""A program that knows its own stacks: it notes each of its allocations with the frames that it has
itself, and truth_check compares the dump with that, one by one.

Each allocation has a size that no other one has, and is made by memalign(), which nobody else
calls. What is noted lies in $TRUTHS.<pid>.<number>, so that a forked child, or another interpreter
of the process, has a file of its own:

    f 7 41 train.py Model.step      frame 7: line, file, qualified name; between them tabs
    a 1003 12 7 5                   1003 bytes, in frame 12, called by 7, called by 5
    r 1004 12 7 5                   any number of such allocations, each of 1004 bytes

Written before the allocation, with a bare write: whatever happens then, the note is there. Runs on
every interpreter from 3.8 on.
"""

import itertools
import os
import sys

TEXT_MAX = 4096  # of which the shim keeps so many characters

try:
    if "TRUTH_WITHOUT_CTYPES" in os.environ:  # Embedded programs have other means.
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
    """Up to 3.9, f_lineno of a traced frame is that of its last event, not where it is: a jump into
    the middle of a line makes none."""
    import dis  # Not every embedded interpreter has it.
    return max((start, line) for start, line in dis.findlinestarts(code) if start <= offset)[1]


class Truths:
    """`first` is the first size; an interpreter of its own in the same process has another one.

    Keeps what it needs itself: when the interpreter ends, modules are emptied.
    """

    def __init__(self, first=1):
        self.held, self.released, self.free = memalign_held, memalign_released, free
        self.write, self.getframe, self.str = os.write, sys._getframe, str
        self.next, self.getattr, self.text_max = next, getattr, TEXT_MAX
        self.sizes = itertools.count(first)
        self.first = first
        self.compared = 0
        self.library = self.library_released = self  # as pywalk.Walks has them
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
        """The size for any number of allocations of a C function that the caller calls."""
        return self.noted(2, "r")

    def noted(self, depth=1, word="a"):
        """The size for an allocation of the caller, whose stack has been noted."""
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
        """The size for an allocation that no Python function makes."""
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

    # What stories ask of a walk besides.

    def pywalk_repeat(self, _):
        self.quick()

    @staticmethod
    def pywalk_codes_bytes():
        return 0

    def expect_no_problems(self):
        pass
