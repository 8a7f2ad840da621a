# SPDX-License-Identifier: Apache-2.0
"""A record array keeps its type's parts."""
import numpy as np
from resident import note

ROUNDS = 50000
for i in range(ROUNDS):
    table = np.recarray([1, 2, 3], formats=["i4"])  # leak
    note(i, ROUNDS)
