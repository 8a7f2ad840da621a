# SPDX-License-Identifier: Apache-2.0
"""The registry of open objects keeps an entry for each dataset that was opened."""
import os
import tempfile

import h5py
from resident import note

folder = tempfile.mkdtemp()
path = os.path.join(folder, "data.h5")
COUNT = 40000

with h5py.File(path, "w") as file:
    file["values"] = [1, 2, 3]
    for i in range(COUNT):
        size = file["values"].size  # leak
        note(i, COUNT)
os.remove(path)
os.rmdir(folder)
