# SPDX-License-Identifier: Apache-2.0
"""A reader whose object holds it: the collector does not see the reader."""
import gc

import hiredis
from resident import note


class Connection:
    def __init__(self):
        self.data = "x" * 500
        self.reader = hiredis.Reader(replyError=self.on_error)  # leak

    def on_error(self, message):
        return ValueError(self.data + message)


for i in range(300000):
    Connection()
    if i % 1000 == 0:
        gc.collect()
    note(i, 300000)
