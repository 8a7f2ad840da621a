// truth: allocations=128*40*8 frees=128*40*8 bytes=128*40*8*64 leaked_blocks=0 leaked_bytes=0
// run: scope=own dump_below=67108864
// The same with more keys than libc has room for in a thread's own block: after some thousand
// threads memtrace is not told any more that one ends, and has to see it.
#define ROUNDS 40
#define EACH 8
#define KEYS 40
#include "threads_in_bursts.c"
