# SPDX-License-Identifier: Apache-2.0
"""A look-up in a map of messages stays."""
from google.protobuf import struct_pb2
from resident import note

RECORD = struct_pb2.Struct()
for k in range(10):
    RECORD.fields["key%d" % k].number_value = k

for i in range(100000):
    for k in range(10):
        found = RECORD.fields.get("key%d" % k)  # leak
    note(i, 100000)
