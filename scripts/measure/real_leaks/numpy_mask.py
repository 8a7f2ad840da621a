# SPDX-License-Identifier: Apache-2.0
"""A list of booleans as the index of a record array stays."""
import numpy as np
from resident import note

TABLE = np.recarray((4,), dtype=[("x", int), ("y", float)])


def select(mask):
    return TABLE[mask]  # leak


count = 60000
for i in range(count):
    select([True, i % 2 == 0, True, True])
    note(i, count)
