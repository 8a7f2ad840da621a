# SPDX-License-Identifier: Apache-2.0
"""The parameters of buffer() are never freed."""
from resident import note
from shapely.geometry import Point

COUNT = 120000
CENTRE = Point(1, 1)

for i in range(COUNT):
    circle = CENTRE.buffer(2.0, resolution=1)  # leak
    note(i, COUNT)
