# SPDX-License-Identifier: Apache-2.0
"""Fields of dates with a time zone stay when to_json() writes them."""
import pandas as pd
from resident import note

INDEX = pd.date_range("2019-01-01", periods=3000, freq="D", tz="UTC")
FRAME = pd.DataFrame({"value": [12.5] * 3000}, index=INDEX).reset_index()


def export(frame):
    return len(frame.to_json())  # leak


for number in range(60):
    export(FRAME)
    note(number, 60)
