# SPDX-License-Identifier: Apache-2.0
"""nearest_points() leaves its sequence of coordinates."""
from resident import note
from shapely.geometry import LineString, Point
from shapely.ops import nearest_points

ROAD = LineString([(0, 0), (1, 1), (2, 0), (3, 1)])
COUNT = 60000

for i in range(COUNT):
    here = Point(i % 10, 5)
    nearest, _ = nearest_points(ROAD, here)  # leak
    note(i, COUNT)
