# SPDX-License-Identifier: Apache-2.0
"""A context that is left with `with` stays."""
import gmpy2
from resident import loop


def half(number):
    with gmpy2.context(precision=100):  # leak
        return gmpy2.mpz(number) // 2


loop(500000, half)
