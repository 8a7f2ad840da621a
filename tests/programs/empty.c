// truth: allocations=0 frees=0 bytes=0 leaked_blocks=0 leaked_bytes=0
// A program that takes nothing from the heap: nothing of memtrace's own may show.
int main(void) { return 0; }
