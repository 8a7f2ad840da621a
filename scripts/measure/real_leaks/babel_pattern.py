# SPDX-License-Identifier: Apache-2.0
"""Each pattern of a date stays in a table."""
from datetime import datetime

from babel.dates import format_datetime
from resident import note

NOW = datetime(2024, 5, 17, 12, 30)
COUNT = 30000


def stamp(number):
    pattern = "yyyy-MM-dd HH:mm 'run %d'" % number
    return format_datetime(NOW, pattern, locale="en")  # leak


for i in range(COUNT):
    stamp(i)
    note(i, COUNT)
