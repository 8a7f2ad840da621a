// run: manual
// The story of NVTX as somebody tells it who includes NVTX's header: a copy of it is in the
// program. A stand-in for the header, or NVIDIA's own where it was found.
#ifdef NVTX_STORY_BY_HEADER
#include <nvtx3/nvToolsExt.h>
#else
#include "tests/doubles/nvtx/nvtx_copy.h"
#endif
#include "nvtx_story.h"
