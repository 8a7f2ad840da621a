// A library that is a Python and exports none of the names by which its frames are found.
#include <stddef.h>

void* PyGILState_GetThisThreadState(void) { return NULL; }

const char* Py_GetVersion(void) { return "3.12.1 (main)"; }
