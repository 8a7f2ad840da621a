// SPDX-License-Identifier: Apache-2.0
//
// How many bytes an array has by its shape. The driver does not tell; it may pad. An estimate.
#pragma once

#include <cstdint>

#include "preload/cuda/cuda_types.h"

namespace memtrace::preload::cuda {

uint64_t bytes_of(const ArrayShape& shape);
uint64_t bytes_of(const Array3DShape& shape);
uint64_t bytes_of(const Array3DShape& shape, unsigned levels);

}  // namespace memtrace::preload::cuda
