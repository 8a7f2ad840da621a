"""pytest --memtrace: limits on what each test takes of memory, recorded by memtrace."""
