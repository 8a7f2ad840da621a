# SPDX-License-Identifier: Apache-2.0
"""The table of a multidict stays when its items are deleted one by one."""
from multidict import MultiDict
from resident import note

ROUNDS = 50000
for i in range(ROUNDS):
    fields = MultiDict({"field%d" % k: "%d-%d" % (i, k) for k in range(20)})  # leak
    for k in range(20):
        del fields["field%d" % k]
    note(i, ROUNDS)
