/* SPDX-License-Identifier: Apache-2.0
 *
 * libfakenccl.so: a library for communication that contains a runtime of its own, as NCCL does. It
 * requests physical memory and addresses from the driver, and maps one to the other. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns a communicator: `plain` bytes by its own cudaMalloc, `physical` bytes by cuMemCreate,
 * mapped, the handle released at once. Null if it could not be made. */
void* fake_nccl_open(size_t plain, size_t physical);
void fake_nccl_close(void* communicator);

#ifdef __cplusplus
}
#endif
