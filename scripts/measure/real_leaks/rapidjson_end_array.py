# SPDX-License-Identifier: Apache-2.0
"""A decoder that replaces its arrays keeps the replacement."""
import rapidjson
from resident import note


class Tuples(rapidjson.Decoder):
    def end_array(self, sequence):
        return tuple(sequence)


DECODE = Tuples()
TEXT = '{"values": [' + ", ".join(str(1000 + k) for k in range(100)) + "]}"

for i in range(60000):
    values = DECODE(TEXT)  # leak
    note(i, 60000)
