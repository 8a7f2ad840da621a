# SPDX-License-Identifier: Apache-2.0
"""An integral keeps the function's arguments."""
from resident import note
from scipy import integrate


def area(number):
    return integrate.quad(lambda x, a: a * x, 0, 1, args=(1.0 * number,))[0]  # leak


for i in range(20000):
    area(i)
    note(i, 20000)
