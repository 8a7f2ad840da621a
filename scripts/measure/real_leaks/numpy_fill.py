# SPDX-License-Identifier: Apache-2.0
"""fill() of an array of objects keeps the object."""
import numpy as np
from resident import loop

ARRAY = np.zeros(10, dtype=object)


def fill(i):
    for _ in range(20):
        ARRAY.fill(1.0 * i + 1e6)  # leak


loop(70000, fill)
