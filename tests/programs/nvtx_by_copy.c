// run: manual
// The story of NVTX in a program that includes NVTX's header: the program contains a copy of it.
// The header is a stand-in, or NVIDIA's own where it was found.
#ifdef NVTX_STORY_BY_HEADER
#include <nvtx3/nvToolsExt.h>
#else
#include "tests/doubles/nvtx/nvtx_copy.h"
#endif
#include "nvtx_story.h"
