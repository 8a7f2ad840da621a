# SPDX-License-Identifier: Apache-2.0
"""Each schedule that is computed stays in a table of expressions."""
from datetime import datetime

from croniter import croniter
from resident import note

START = datetime(2024, 1, 1)
COUNT = 11000


def next_run(minute, hour, day):
    schedule = croniter("%d %d %d * *" % (minute, hour, day), START)  # leak
    return schedule.get_next(datetime)


for i in range(COUNT):
    next_run(i % 60, i // 60 % 24, 1 + i // 1440)
    note(i, COUNT)
