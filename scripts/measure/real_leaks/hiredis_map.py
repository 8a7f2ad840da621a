# SPDX-License-Identifier: Apache-2.0
"""The keys and values of a map stay."""
import hiredis
from resident import note

REPLY = b"%2\r\n$5\r\nfirst\r\n$50\r\n" + b"v" * 50 + b"\r\n$6\r\nsecond\r\n:100000\r\n"
READER = hiredis.Reader()
i = 0
while i < 600000:
    READER.feed(REPLY)
    answer = READER.gets()  # leak
    note(i, 600000)
    i += 1
