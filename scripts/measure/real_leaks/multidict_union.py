# SPDX-License-Identifier: Apache-2.0
"""The union of a set with the items of a multidict keeps the items of the set."""
from multidict import MultiDict
from resident import note

ITEMS = MultiDict(a="1", b="2")


def pairs(number):
    return {("key%d-%d" % (number, k), "value%d-%d" % (number, k)) for k in range(10)}  # leak


for i in range(80000):
    joined = pairs(i) | ITEMS.items()
    note(i, 80000)
