// run: manual libraries=double-nvtx
// The story of NVTX in a program that is linked to libnvToolsExt.so.1.
#define NVTX_COPY_DECLARATIONS
#include "tests/doubles/nvtx/nvtx_copy.h"

// Calls the functions that nvtx_copy.h declares.
#include "nvtx_story.h"
