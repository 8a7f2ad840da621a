// SPDX-License-Identifier: Apache-2.0
//
// Caches of libraries whose size has a known bound (known_bounded.def). What one of them takes is
// no leak, although it grows from the start to the moment at which it is full.
#pragma once

#include <span>
#include <string_view>

#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

struct KnownBounded {
    std::string_view function;
    std::string_view file;
    std::string_view inner;
    std::string_view what;
    std::string_view bound;
    std::string_view source;
};

// Returns the row of the cache that a stack fills, or nullptr. `frames` are those of the stack,
// innermost first. Code that a cache's function merely calls (the callback of a library, say) is
// not excused: only files of the row may lie inside it.
const KnownBounded* find_known_bounded(const Symbols& symbols, std::span<const FrameId> frames);

}  // namespace memtrace::analyzer
