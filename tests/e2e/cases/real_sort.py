"""sort, with threads: the report's totals equal the oracle's, process by process."""
from real import agrees_with_oracle


def test():
    agrees_with_oracle("sort", "--parallel=2", "-S", "1M", "/etc/passwd", "/etc/group")
