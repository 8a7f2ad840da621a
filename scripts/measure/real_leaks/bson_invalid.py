# SPDX-License-Identifier: Apache-2.0
"""A document that cannot be encoded: parts of the error stay."""
import bson
from resident import note


class Unknown:
    pass


def store(number):
    document = {"number": number, "text": "x" * 2000, "what": Unknown()}
    try:
        return bson.encode(document)  # leak
    except bson.errors.InvalidDocument:
        return None


for i in range(60000):
    store(i)
    note(i, 60000)
