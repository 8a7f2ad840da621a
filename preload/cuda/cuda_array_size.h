// SPDX-License-Identifier: Apache-2.0
//
// The size of an array in bytes, estimated from its shape. The driver does not report it and may
// add padding.
#pragma once

#include <cstdint>

#include "preload/cuda/cuda_types.h"

namespace memtrace::preload::cuda {

uint64_t bytes_of(const ArrayShape& shape);
uint64_t bytes_of(const Array3DShape& shape);
uint64_t bytes_of(const Array3DShape& shape, unsigned levels);

}  // namespace memtrace::preload::cuda
