# SPDX-License-Identifier: Apache-2.0
"""The Python texts of a nested column stay."""
import pyarrow as pa
from resident import note

TYPE = pa.list_(pa.struct([("names", pa.list_(pa.string()))]))


def rows(number):
    return [[{"names": ["%d-%d" % (number, k) + "n" * 100 for k in range(50)]}]]  # leak


number = 0
while number < 2000:
    array = pa.array(rows(number), type=TYPE)
    note(number, 2000)
    number += 1
