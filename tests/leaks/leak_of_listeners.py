# SPDX-License-Identifier: Apache-2.0
# truth: leak=subscribe any=run_steps
"""Every step subscribes to an event, and nobody unsubscribes."""
from leaks import run_steps

listeners = []


def subscribe(number):
    def listener(event, data=bytes(1000)):
        return number, event, len(data)
    listeners.append(listener)


def step(number):
    sum(len(str(i)) for i in range(200))
    subscribe(number)


run_steps(500, step)
