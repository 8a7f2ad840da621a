// truth: allocations=1 frees=0 bytes=10 leaked_blocks=1 leaked_bytes=10
// run: oracle=no scope=own not_covered=lib_plugin_a.so
// The plugin that finds libc's malloc before memtrace's is unloaded before the program ends, as PHP
// does with its extensions. The report names it nevertheless.
#define UNLOADS_ITS_PLUGIN 1
#include "library_finds_libc_first.c"
