# SPDX-License-Identifier: Apache-2.0
"""A document that does not fit the schema leaves its error."""
import rapidjson
from resident import loop

VALIDATE = rapidjson.Validator('{"type": "object", "required": ["name"]}')


def check(_):
    try:
        VALIDATE('{"other": 1}')  # leak
    except rapidjson.ValidationError:
        pass


loop(700000, check)
