# SPDX-License-Identifier: Apache-2.0
"""Keys and identities of a multidict that is made of a dictionary stay."""
from multidict import CIMultiDict
from resident import loop


def headers(_):
    result = CIMultiDict({f"X-Field-{k}": str(k) for k in range(10)})  # leak
    copy = CIMultiDict()
    for key, value in result.items():
        copy.add(key, value)
    return copy


loop(100000, headers)
