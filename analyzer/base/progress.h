// SPDX-License-Identifier: Apache-2.0
//
// Callback through which long work reports its progress. It is called often enough for a smooth bar
// (once for every chunk of a dump) and rarely enough to cost nothing. An empty function means that
// no progress is shown.
#pragma once

#include <cstdint>
#include <functional>

namespace memtrace::analyzer {

using Progress = std::function<void(uint64_t done_bytes, uint64_t total_bytes)>;

}  // namespace memtrace::analyzer
