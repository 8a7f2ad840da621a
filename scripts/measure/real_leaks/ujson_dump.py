# SPDX-License-Identifier: Apache-2.0
"""A file that cannot be written to, so dump() raises; the encoded text stays."""
import ujson
from resident import loop

DATA = {f"k{i}": "v" * 50 for i in range(100)}


class Full:
    def write(self, text):
        raise OSError("disk full")


def save(_):
    try:
        ujson.dump(DATA, Full())  # leak
    except OSError:
        pass


loop(70000, save)
