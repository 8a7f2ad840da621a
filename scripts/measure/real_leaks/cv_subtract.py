# SPDX-License-Identifier: Apache-2.0
"""Elements of an array that a function takes as a scalar stay."""
import cv2
import numpy as np
from resident import note

IMAGE = np.full((4, 4, 3), 200, dtype=np.float32)
MEAN = np.array([123.5, 116.5, 103.5])

for i in range(100000):
    centred = cv2.subtract(IMAGE, MEAN)  # leak
    note(i, 100000)
