# SPDX-License-Identifier: Apache-2.0
"""The text of a frozendict keeps the dictionary's items."""
from frozendict import frozendict
from resident import loop


def describe(_):
    return repr(frozendict({k: k for k in range(500)}))  # leak


loop(10000, describe)
