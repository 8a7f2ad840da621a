# SPDX-License-Identifier: Apache-2.0
"""Stories that need processes, interpreters or packages of their own."""

import os
import subprocess
import sys
import threading

from pywalk import Difference
from told import story, walks

FOLDER = os.path.dirname(os.path.abspath(__file__))


def run(text, *arguments):
    """Runs a Python process with `walks` on, and returns its output."""
    start = ("import sys; sys.path.insert(0, %r); sys.argv = ['-', %r]\n"
             "from pywalk import *; walks = Walks(%r)\n" % (FOLDER, walks.path, walks.path))
    result = subprocess.run([sys.executable, *arguments, "-c", start + text], timeout=120,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode != 0:
        raise Difference("exit code %d: %s" % (result.returncode, result.stderr[-400:]))
    return result.stdout.strip()


STARTED = """
walks.library.pywalk_start(0)
def warm_up(depth):
    walks.held(walks.buffer(), 9)
    if depth: warm_up(depth - 1)
warm_up(5)
assert STATES[walks.library.pywalk_state()] == "on", walks.library.pywalk_why()
"""


@story
def wrong_layout():
    """With one changed offset Python is switched off, and the program continues."""
    for skew in (8, -8, 16, 24, 1, 4096):
        state = run("walks.library.pywalk_start(%d)\n"
                    "for _ in range(9): walks.held(walks.buffer(), 9)\n"
                    "print(STATES[walks.library.pywalk_state()], walks.library.pywalk_why())"
                    % skew)
        if not state.startswith("off"):
            raise Difference("with a skew of %d: %s" % (skew, state))
    return state


@story
def ends_with_daemons():
    """The interpreter ends while daemon threads walk, and frees their frames."""
    text = STARTED + """
import threading, time
released = load(sys.argv[1], ctypes.CDLL)
def work(depth):
    if depth: work(depth - 1)
    released.pywalk_repeat(20000000)
for depth in range(4):
    threading.Thread(target=work, args=(depth * 9,), daemon=True).start()
time.sleep(0.05)
"""
    for _ in range(10):
        run(text)


@story
def forked_child():
    """A thread forks. The child has its frames, and none of the other threads."""
    failures = []
    hammering = threading.Event()

    def hammer():
        while not hammering.is_set():
            walks.library_released.pywalk_repeat(100)

    def fork():
        child = os.fork()
        if child == 0:
            code = 1
            try:
                walks.library.pywalk_forked_child()
                walks.check(walks.held)
                walks.check(walks.released)
                code = 0
            finally:
                os._exit(code)
        if os.waitpid(child, 0)[1] != 0:
            failures.append("a forked child found another stack")
        walks.check()
    others = [threading.Thread(target=hammer) for _ in range(2)]
    for other in others:
        other.start()
    for _ in range(10):
        thread = threading.Thread(target=fork)
        thread.start()
        thread.join()
    hammering.set()
    for other in others:
        other.join()
    if failures:
        raise Difference(failures[0])


INSIDE = """
import sys; sys.path.insert(0, %r)
from pywalk import *
walks = Walks(%r)
def down(depth):
    return down(depth - 1) if depth else walks.check(walks.held)
try:
    for depth in range(30): down(depth)
    word = "fine"
except BaseException as error:
    word = repr(error)
import os; os.write(%d, word.encode())
"""


@story
def subinterpreters():
    """Another interpreter of the process runs code on this thread."""
    try:
        try:
            import _xxsubinterpreters as module
        except ImportError:
            import _interpreters as module
    except ImportError:
        return "skipped: no module for interpreters"
    try:
        other = module.create(isolated=False)
    except TypeError:
        other = module.create() if sys.version_info < (3, 13) else module.create("legacy")
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    error = module.run_string(other, INSIDE % (FOLDER, walks.path, writing))
    if error is not None:
        raise Difference("in another interpreter: %s" % (error,))
    word = os.read(reading, 4000).decode()
    walks.check()
    # 3.8 cannot always end an interpreter that has imported ctypes. It ends with the process.
    os.close(reading)
    os.close(writing)
    if word != "fine":
        raise Difference("in another interpreter: " + word)
    walks.compared += 30
    return None


@story
def greenlets():
    """Stacks are suspended and resumed, on one C stack."""
    try:
        from greenlet import greenlet
    except ImportError:
        return "skipped: greenlet is not installed"

    def down(depth):
        walks.check()
        if depth:
            down(depth - 1)
        else:
            parent.switch()
        walks.check()
    for _ in range(20):
        parent = greenlet.getcurrent()
        children = [greenlet(down) for _ in range(5)]
        for depth, child in enumerate(children):
            child.switch(depth * 3)
        walks.check()
        for child in reversed(children):
            while not child.dead:
                child.switch()
    return None
