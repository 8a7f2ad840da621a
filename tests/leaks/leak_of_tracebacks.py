# SPDX-License-Identifier: Apache-2.0
# truth: leak=parse any=run_steps
"""Errors are kept in a list, and each keeps what the function that failed had in hand."""
from leaks import run_steps

errors = []


def parse(text):
    words = [text + str(i) for i in range(40)]
    if len(words) == 40:
        raise ValueError(text)


def step(number):
    try:
        parse("line")
    except ValueError as error:
        errors.append(error)


run_steps(1500, step)
