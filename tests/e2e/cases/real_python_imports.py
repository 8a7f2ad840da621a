"""Python loads many libraries: the report's totals equal the oracle's, process by process."""
from harness import PYTHON
from real import agrees_with_oracle


def test():
    agrees_with_oracle(PYTHON, "-c", "import asyncio, ctypes, decimal, sqlite3, ssl; print(1)")
