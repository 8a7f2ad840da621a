/* SPDX-License-Identifier: Apache-2.0
 *
 * A stand-in for libnvToolsExt.so.1. With NVTX_COPY_WITHOUT_TOOLS it is one that no tool can be
 * attached to by anything that we know.
 */
#define NVTX_COPY_API __attribute__((visibility("default")))
#include "tests/doubles/nvtx/nvtx_copy.h"
