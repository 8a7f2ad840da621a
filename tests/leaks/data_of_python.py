# SPDX-License-Identifier: Apache-2.0
# truth: quiet=load
"""A data set that is loaded first, and worked on."""
from leaks import run_steps

rows = []


def load():
    for i in range(200):
        rows.append({"id": i, "text": "row %d" % i})


def step(number):
    if number < 20:
        load()
    sum(len(row["text"]) for row in rows[:1000])


run_steps(300, step)
