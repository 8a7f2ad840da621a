# SPDX-License-Identifier: Apache-2.0
"""Other interpreters of the process run code on this thread and on others."""
# allow: interpreter
import os
import threading

from truth import Truths

try:
    try:
        import _xxsubinterpreters as module
    except ImportError:
        import _interpreters as module
except ImportError:
    print("this interpreter has no module for others")
    os._exit(77)

truths = Truths()
CODE = """
import sys; sys.path.insert(0, %r)
from truth import Truths
truths = Truths(%d)
def down(depth):
    return down(depth - 1) if depth else [truths.both() for _ in range(3)]
for depth in range(20): down(depth)
"""


def create():
    try:
        return module.create(isolated=False)
    except TypeError:
        try:
            return module.create("legacy")
        except TypeError:
            return module.create()


def run(first):
    other = create()
    truths.both()
    error = module.run_string(other, CODE % (os.path.dirname(os.path.dirname(__file__)), first))
    truths.both()
    assert error is None, error


run(1 << 20)
run(2 << 20)
thread = threading.Thread(target=run, args=(3 << 20,))
thread.start()
thread.join()
truths.both()
# 3.8 cannot always end an interpreter that has imported ctypes.
os._exit(0)
