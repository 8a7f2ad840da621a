# SPDX-License-Identifier: Apache-2.0
"""multiprocessing, by fork and by spawn, and from a thread."""
import multiprocessing
import os
import threading

from truth import Truths

truths = None


def child(queue, depth):
    if depth:
        return child(queue, depth - 1)
    mine = truths or Truths()
    for _ in range(20):
        mine.both()
    queue.put(depth)


def run(method):
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    started = [context.Process(target=child, args=(queue, depth)) for depth in range(3)]
    for process in started:
        process.start()
        truths.both()
    for process in started:
        queue.get()
        process.join()
        assert process.exitcode == 0
    truths.both()


if __name__ == "__main__":
    truths = Truths()
    run("fork")
    thread = threading.Thread(target=run, args=("fork",))
    thread.start()
    thread.join()
    run("spawn")
    print(os.path.basename(__file__))
