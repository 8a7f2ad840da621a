# SPDX-License-Identifier: Apache-2.0
# truth: leak=handle any=run_steps
"""A dictionary of the class, and not of the object, keeps the result of each request."""
from leaks import run_steps


class Handler:
    results = {}

    def handle(self, number):
        self.results[number] = "result %d" % number * 20


def step(number):
    Handler().handle(number)


run_steps(3000, step)
