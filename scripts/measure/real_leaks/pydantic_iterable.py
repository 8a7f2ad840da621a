# SPDX-License-Identifier: Apache-2.0
"""A field of the type Iterable: its iterator and itself keep each other."""
from typing import Iterable

from pydantic import BaseModel
from resident import loop


class Batch(BaseModel):
    values: Iterable[int]


def load(number):
    return Batch(values=[number + k for k in range(100)])  # leak


loop(30000, load)
