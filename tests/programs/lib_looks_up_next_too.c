// The second link of the chain of lib_looks_up_next.
#define OWN_NAME "second"
#include "lib_looks_up_next.c"
