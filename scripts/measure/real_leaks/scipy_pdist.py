# SPDX-License-Identifier: Apache-2.0
"""pdist() keeps a temporary array that it is given."""
import numpy as np
from resident import note
from scipy.spatial.distance import pdist

POINTS = np.arange(1000.0).reshape(100, 10)
i = 0
while i < 5000:
    distances = pdist(POINTS / 0.01, metric="sqeuclidean")  # leak
    note(i, 5000)
    i += 1
