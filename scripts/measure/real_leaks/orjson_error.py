# SPDX-License-Identifier: Apache-2.0
"""An error of the parser is never freed."""
import orjson
from resident import loop


def parse(_):
    for _ in range(10):
        try:
            orjson.loads("Nothing of JSON")  # leak
        except orjson.JSONDecodeError:
            pass


loop(50000, parse)
