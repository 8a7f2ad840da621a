// SPDX-License-Identifier: Apache-2.0
//
// What GpuRefused::device is if memory of the host was refused that a call placed there by its
// arguments (cuMemCreate, a pool of the host). Calls that always give memory of the host, like
// cuMemHostAlloc, are known by their name, and name the device that was current.
#pragma once

#include <cstdint>

namespace memtrace {

inline constexpr uint32_t refused_on_host = 0xffffffff;

}  // namespace memtrace
