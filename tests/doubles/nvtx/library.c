/* SPDX-License-Identifier: Apache-2.0
 *
 * A stand-in for libnvToolsExt.so.1. With NVTX_COPY_WITHOUT_TOOLS it is a library that no tool can
 * be attached to by any known way.
 */
#define NVTX_COPY_API __attribute__((visibility("default")))
#include "tests/doubles/nvtx/nvtx_copy.h"
