# SPDX-License-Identifier: Apache-2.0
"""A Python program that only creates and drops small objects.  objects.py COUNT"""

import sys


class Order:
    def __init__(self, number):
        self.number = number
        self.name = f"order {number}"
        self.lines = [(number, i * 1.5) for i in range(4)]


def handle(number, recent):
    order = Order(number)
    words = order.name.split()
    recent[number % 20_000] = order
    return len(words) + sum(price for _, price in order.lines)


def main():
    recent = {}
    total = 0.0
    for number in range(int(sys.argv[1])):
        total += handle(number, recent)
    print(f"{total:.0f} in {len(recent)} orders kept")


main()
