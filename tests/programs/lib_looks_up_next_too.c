// The second library of that kind (lib_looks_up_next.c).
#define OWN_NAME "second"
#include "lib_looks_up_next.c"
