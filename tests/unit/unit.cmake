add_test(NAME unit COMMAND memtrace-unit-tests)
