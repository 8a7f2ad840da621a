# SPDX-License-Identifier: Apache-2.0
"""A message with more text behind it: what was read stays."""
import msgspec
from resident import note

TEXT = b'["one", "two", "' + b"x" * 500 + b'"] more'
ROUNDS = 300000

for i in range(ROUNDS):
    try:
        value = msgspec.json.decode(TEXT)  # leak
    except msgspec.MsgspecError:
        pass
    note(i, ROUNDS)
