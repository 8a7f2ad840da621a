/* SPDX-License-Identifier: Apache-2.0
 *
 * libfakenccl.so: a library for communication that holds a runtime of its own, as NCCL does, and
 * asks the driver for physical memory and for addresses, which it puts together. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A communicator: `plain` bytes by its own cudaMalloc, `physical` bytes by cuMemCreate, mapped, the
 * handle given back at once. Null: it could not be made. */
void* fake_nccl_open(size_t plain, size_t physical);
void fake_nccl_close(void* communicator);

#ifdef __cplusplus
}
#endif
