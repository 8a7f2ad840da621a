# SPDX-License-Identifier: Apache-2.0
"""Each exhausted Unpacker leaves its end of the iteration."""
import io

import msgpack
from resident import note

DATA = b"".join(msgpack.packb({"number": i}) for i in range(5))


def read(data):
    return [item for item in msgpack.Unpacker(io.BytesIO(data), max_buffer_size=1024)]  # leak


for i in range(200000):
    read(DATA)
    note(i, 200000)
