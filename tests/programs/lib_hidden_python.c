// A library that is a Python and exports nothing of what its frames are found by.
#include <stddef.h>

void* PyGILState_GetThisThreadState(void) { return NULL; }

const char* Py_GetVersion(void) { return "3.12.1 (main)"; }
