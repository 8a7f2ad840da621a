# SPDX-License-Identifier: Apache-2.0
"""A date that cannot be parsed leaves the parser's record."""
import pendulum
from resident import loop


def parse(_):
    try:
        return pendulum.parse("2020-13-45")  # leak
    except ValueError:
        return None


loop(100000, parse)
