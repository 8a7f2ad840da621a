// SPDX-License-Identifier: Apache-2.0
//
// How long work tells how far it is. Called often enough for a smooth bar (every chunk of a dump)
// and rarely enough to cost nothing. An empty function means that nobody watches.
#pragma once

#include <cstdint>
#include <functional>

namespace memtrace::analyzer {

using Progress = std::function<void(uint64_t done_bytes, uint64_t total_bytes)>;

}  // namespace memtrace::analyzer
