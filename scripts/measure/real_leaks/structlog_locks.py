# SPDX-License-Identifier: Apache-2.0
"""A lock stays for each file that a logger wrote to, and keeps the file."""
import tempfile

import structlog
from resident import note

ROUNDS = 20000
for i in range(ROUNDS):
    with tempfile.TemporaryFile("w") as file:  # leak
        logger = structlog.WriteLogger(file)  # leak
        logger.info("started")
    note(i, ROUNDS)
