# SPDX-License-Identifier: Apache-2.0
"""Iterators of a multidict are never freed."""
from multidict import MultiDict
from resident import loop

QUERY = MultiDict([("a", "1"), ("b", "2"), ("c", "3")])


def names(_):
    return [name for name in QUERY]  # leak


loop(1000000, names)
