"""The C compiler and its children: the report's totals equal the oracle's, process by process."""
import os

from harness import SOURCE
from real import agrees_with_oracle


def test():
    source = os.path.join(SOURCE, "tests", "oracle", "oracle.c")
    agrees_with_oracle("gcc", "-O2", "-c", source, "-o", "/dev/null")
