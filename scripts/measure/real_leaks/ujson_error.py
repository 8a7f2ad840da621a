# SPDX-License-Identifier: Apache-2.0
"""A list that cannot be encoded: the buffer that grew for it stays."""
import ujson
from resident import note

DATA = ["x" * 70000, {"key": object()}]


def encode():
    try:
        return ujson.dumps(DATA)  # leak
    except (TypeError, OverflowError):
        return None


for i in range(7000):
    encode()
    note(i, 7000)
