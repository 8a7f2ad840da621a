"""pytest --memtrace: limits on the memory of each test, recorded by memtrace."""
