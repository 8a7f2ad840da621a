# SPDX-License-Identifier: Apache-2.0
"""decode_all() without options keeps what it made of them."""
import bson
from resident import note

PAGE = b"".join(bson.encode({"number": i, "name": "n" * 20}) for i in range(3))

number = 0
while number < 100000:
    documents = bson.decode_all(PAGE)  # leak
    note(number, 100000)
    number += 1
