# SPDX-License-Identifier: Apache-2.0
"""faulthandler reads all stacks repeatedly, while its own thread waits."""
import faulthandler
import threading

from truth import Truths

truths = Truths()
nowhere = open("/dev/null", "w")
faulthandler.enable(nowhere)
# It never reads a stack: it would do so without the GIL, and CPython sometimes crashes then (3.10).
faulthandler.dump_traceback_later(3600, file=nowhere)


def work(depth):
    truths.both()
    if depth:
        work(depth - 1)
    faulthandler.dump_traceback(nowhere)
    truths.both()


threads = [threading.Thread(target=work, args=(20,)) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
faulthandler.cancel_dump_traceback_later()
