// A library that claims to be a Python of the version $FAKE_PYTHON, and has nothing else of one. If
// that is 3.16, _PyRuntime begins as it should.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

uint64_t _PyRuntime[512];
char PyCode_Type[512];
char PyUnicode_Type[512];
char PyBytes_Type[512];

void* PyGILState_GetThisThreadState(void) { return NULL; }

const char* Py_GetVersion(void) {
    const char* version = getenv("FAKE_PYTHON");
    if (version == NULL) return "";
    if (strncmp(version, "3.16.0", 6) == 0) {
        memcpy(_PyRuntime, "xdebugpy", 8);
        _PyRuntime[1] = 0x031000f0;
    }
    return version;
}
