# SPDX-License-Identifier: Apache-2.0
"""A message that ends too early: the list read so far stays."""
import ormsgpack
from resident import note

SHORT = ormsgpack.packb(list(range(1000, 2000)))[:-1]

for i in range(8000):
    try:
        ormsgpack.unpackb(SHORT)  # leak
    except ormsgpack.MsgpackDecodeError:
        pass
    note(i, 8000)
