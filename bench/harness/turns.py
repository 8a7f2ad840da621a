# SPDX-License-Identifier: Apache-2.0
"""Runs the same program bare and under several tools at once, in short turns.

A whole run takes seconds, and the other load of a machine changes within seconds. For that reason
alone one of two successive runs may be a quarter slower. So all processes are started first. Then
each works for a tenth of a second while the others wait, in an order that changes. Other load then
affects all of them. The layout of memory stays the same for the life of a process and counts for
some hundredths. So all processes are started again a few times.
"""

import collections
import contextlib
import os
import pathlib
import random
import subprocess

import measure
import profilers as peers
import workloads as works

Turn = collections.namedtuple("Turn", "wall cpu")  # seconds

WARM_UP_STEPS = 20


class Worker:
    """A process that does some of its work on request."""

    def __init__(self, name, tool, command, additions, folder):
        self.name = name
        self.tool = tool
        self.folder = folder
        folder.mkdir()
        pipes = [folder / "orders", folder / "answers"]
        for pipe in pipes:
            os.mkfifo(pipe)
        worker = works.Workload(name, "", [*command, *pipes], is_python=True)
        command, more = tool.command(worker, folder)
        self.log = folder / "output.txt"
        with open(self.log, "wb") as output:
            self.process = subprocess.Popen(command, env=peers.environment({**additions, **more}),
                                            cwd=folder, stdout=output, stderr=subprocess.STDOUT,
                                            stdin=subprocess.DEVNULL)
        self.orders = open_orders(pipes[0], self)
        self.answers = open(pipes[1])
        self.work(WARM_UP_STEPS)

    def work(self, *order):
        try:
            print(*order, file=self.orders, flush=True)
            answer = self.answers.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            raise self.failed()
        return Turn(*map(float, answer.split()))

    def failed(self):
        # The process closes its pipes before it prints the reason.
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=10)
        return measure.Failed(f"{self.name} ended: {self.last_words()}")

    def last_words(self):
        return (self.log.read_text(errors="replace").strip().splitlines() or ["no output"])[-1]

    def end(self):
        self.orders.close()
        status = self.process.wait()
        self.answers.close()
        if status != 0:
            raise self.failed()
        # A run without a recording would cost nothing.
        recording = self.tool.recording(self.folder)
        if recording is not None and not recording.exists():
            raise measure.Failed(f"{self.name} recorded nothing: {self.last_words()}")


def open_orders(path, worker):
    """Returns the writing end of a pipe, once the program has opened the other end."""
    while True:
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:  # There is no reader yet, and never will be if the program has ended.
            try:
                worker.process.wait(timeout=0.05)
            except subprocess.TimeoutExpired:
                continue
            raise worker.failed() from None
        os.set_blocking(descriptor, True)
        return os.fdopen(descriptor, "w")


def take_turns(runs, command, additions, rounds, steps, folder):
    """Returns {name: [Turn]} of one launch. `runs` is {name: tool}, `command` the worker's."""
    workers = [Worker(name, tool, command, additions, pathlib.Path(folder) / str(number))
               for number, (name, tool) in enumerate(runs.items())]
    turns = {name: [] for name in runs}
    order = random.Random(1)
    for _ in range(rounds):
        order.shuffle(workers)
        for worker in workers:
            turns[worker.name].append(worker.work(steps))
    for worker in workers:
        worker.end()
    return turns


def take_switched_turns(tool, command, additions, rounds, steps, folder):
    """Returns [(Turn without recording, Turn with it)] of one process. The shim needs a switch."""
    worker = Worker("switched", tool, command, additions, pathlib.Path(folder) / "switched")
    found = []
    order = random.Random(1)
    states = [0, 1]
    for _ in range(rounds):
        order.shuffle(states)
        turns = {state: worker.work(steps, state) for state in states}
        found.append((turns[0], turns[1]))
    worker.end()
    return found
