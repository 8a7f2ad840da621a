# SPDX-License-Identifier: Apache-2.0
"""Under cProfile."""
import cProfile

from truth import Truths

truths = Truths()


def work(depth):
    truths.both()
    if depth:
        work(depth - 1)
    sorted([3, 1, 2], key=lambda n: truths.both() or n)
    list(truths.both() for _ in range(2))


profile = cProfile.Profile()
for _ in range(30):
    profile.runcall(work, 8)
    truths.both()
profile.enable()
work(5)
profile.disable()
print(sum(entry.callcount for entry in profile.getstats()
          if getattr(entry.code, "co_name", "") == "work"))
