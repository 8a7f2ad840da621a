# SPDX-License-Identifier: Apache-2.0
"""Binds libmemtrace-pywalk.so to Python, and compares its walks with sys._getframe().

Runs on every interpreter from 3.8 on, so it uses only the syntax of 3.8.
"""

import bisect
import ctypes
import dis
import sys

FRAMES_MAX = 1024
STATES = ("none", "validating", "on", "off")
(OK, NONE, OFF, NO_THREAD_STATE, EMPTY, FINALIZING, TRUNCATED) = range(7)
ENCODINGS = {1: "latin-1", 2: "utf-16-le", 4: "utf-32-le"}


class Text(ctypes.Structure):
    _fields_ = [("first_line", ctypes.c_uint32), ("name_length", ctypes.c_uint32),
                ("file_length", ctypes.c_uint32), ("lines_length", ctypes.c_uint32),
                ("name_width", ctypes.c_uint8), ("file_width", ctypes.c_uint8),
                ("name", ctypes.c_uint8 * 256), ("file", ctypes.c_uint8 * 256)]


def load(path, kind):
    library = kind(path)
    for name in ("problems", "walks", "kept_frames", "seen_frames", "cost", "repeat", "walk",
                 "codes_bytes"):
        getattr(library, "pywalk_" + name).restype = ctypes.c_uint64
    for name in ("why", "version", "last_problem"):
        getattr(library, "pywalk_" + name).restype = ctypes.c_char_p
    library.pywalk_text.restype = ctypes.POINTER(Text)
    library.pywalk_text.argtypes = [ctypes.c_uint64]
    library.pywalk_repeat.argtypes = library.pywalk_cost.argtypes = [ctypes.c_uint64]
    library.pywalk_walk.argtypes = [ctypes.c_void_p, ctypes.c_uint64]
    library.pywalk_on_foreign_thread.argtypes = [ctypes.c_void_p]
    return library


class Difference(Exception):
    pass


class Walks:
    """Counts and compares walks. `held` keeps the GIL during a walk, `released` does not.

    No variable keeps a frame, because code objects would then live until a garbage collection.
    """

    def __init__(self, path):
        self.path = path
        self.library = load(path, ctypes.PyDLL)
        self.held = self.library.pywalk_walk
        self.library_released = load(path, ctypes.CDLL)
        self.released = self.library_released.pywalk_walk
        self.buffers = []
        self.compared = 0
        self.lines = {}

    def buffer(self):
        """Returns an unused buffer: threads walk at once, and tracers walk during a comparison."""
        try:
            return self.buffers.pop()
        except IndexError:
            return (ctypes.c_int64 * (2 + 3 * FRAMES_MAX))()

    def check(self, walk=None):
        """Walks and compares everything: codes, instructions, names, files, lines."""
        buffer = self.buffer()
        length = (walk or self.held)(buffer, FRAMES_MAX)
        self.compare(buffer, length, sys._getframe(), OK)
        self.compare_texts(buffer, length, sys._getframe())
        self.buffers.append(buffer)

    def quick(self):
        """Does the same without names."""
        buffer = self.buffer()
        length = self.held(buffer, FRAMES_MAX)
        self.compare(buffer, length, sys._getframe(), OK)
        self.buffers.append(buffer)

    def compare(self, buffer, length, frame, status):
        codes, offsets = [], []
        leaf = frame
        while frame is not None and len(codes) < FRAMES_MAX:
            codes.append(id(frame.f_code))
            offsets.append(frame.f_lasti)
            frame = frame.f_back
        if buffer[0] != status:
            raise Difference("status %d, not %d" % (buffer[0], status))
        end = 2 + 3 * length
        if buffer[2:end:3] != codes:
            self.drop_trampolines(buffer, length, codes)
            end = 2 + 3 * len(codes)
            if buffer[2:end:3] != codes:
                raise Difference("the frames differ:\n%s\n%s" % (buffer[2:end:3], codes))
        # The innermost frame has moved on since the walk.
        if buffer[6:end:3] != offsets[1:]:
            raise Difference("the offsets differ:\n%s\n%s" % (buffer[6:end:3], offsets[1:]))
        # The line after the walk calls this function.
        line = self.line_of(leaf.f_code, buffer[3])
        if line != leaf.f_lineno - 1:
            raise Difference("line %d, not %d" % (line, leaf.f_lineno - 1))
        self.compared += 1

    def drop_trampolines(self, buffer, length, codes):
        """Drops the invisible frame that 3.12 has between a class and its __init__."""
        kept = [i for i in range(length)
                if not self.is_trampoline(self.library.pywalk_text(buffer[4 + 3 * i])[0])]
        if len(kept) < length and len(kept) != len(codes) and len(codes) < FRAMES_MAX:
            raise Difference("%d frames, not %d" % (len(kept), len(codes)))
        for i, place in enumerate(kept):
            buffer[2 + 3 * i:5 + 3 * i] = buffer[2 + 3 * place:5 + 3 * place]

    @staticmethod
    def is_trampoline(text):
        return bytes(text.file[:text.file_length]) == b"__init__"

    def compare_texts(self, buffer, length, frame):
        place = 4
        while frame is not None and length > 0:
            if buffer[place - 2] == id(frame.f_code):
                self.compare_text(buffer[place], frame.f_code)
            frame = frame.f_back
            place += 3
            length -= 1

    def compare_text(self, number, code):
        if number == 0:
            raise Difference("no number for " + code.co_name)
        text = self.library.pywalk_text(number)[0]
        name = getattr(code, "co_qualname", code.co_name)
        lines = code.co_lnotab if sys.version_info < (3, 10) else code.co_linetable
        for what, wanted, units, size, width in (
                ("name", name, text.name, text.name_length, text.name_width),
                ("file", code.co_filename, text.file, text.file_length, text.file_width)):
            found = bytes(units[:size]).decode(ENCODINGS[width])
            if found != wanted and len(wanted) <= 64:
                raise Difference("the %s is %s, not %s" % (what, ascii(found), ascii(wanted)))
        if text.first_line != code.co_firstlineno or text.lines_length != len(lines):
            raise Difference("the lines of %s differ" % name)

    def line_of(self, code, offset):
        starts = self.lines.get(code)
        if starts is None:
            starts = self.lines[code] = [(start, line) for start, line in dis.findlinestarts(code)
                                         if line is not None]
            if len(self.lines) > 10000:
                self.lines.clear()
        place = bisect.bisect_right(starts, (offset, 1 << 30)) - 1
        return starts[max(place, 0)][1]

    def expect_no_problems(self):
        if self.library.pywalk_problems() != 0:
            raise Difference("%d times, the last: %s" % (
                self.library.pywalk_problems(), self.library.pywalk_last_problem().decode()))
