"""git, which maps files: the report's totals equal the oracle's, process by process."""
from harness import SOURCE
from real import agrees_with_oracle


def test():
    agrees_with_oracle("git", "-c", "safe.directory=*", "-C", SOURCE, "log", "--stat", "-n", "5")
