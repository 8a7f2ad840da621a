# SPDX-License-Identifier: Apache-2.0
"""Numbers that the cache does not take back are not freed."""
import gmpy2
from resident import note

for i in range(1000000):
    root = gmpy2.sqrt(gmpy2.mpfr(2, 2000 + i % 500))  # leak
    note(i, 1000000)
