"""xz, with threads and large blocks: the report's totals equal the oracle's, process by process."""
from real import agrees_with_oracle


def test():
    agrees_with_oracle("xz", "-T2", "-c", "-1", "--block-size=100000", "/bin/bash")
