// SPDX-License-Identifier: Apache-2.0
#include "analyzer/frames/known_bounded.h"

#include <algorithm>
#include <array>
#include <string>

#include "analyzer/base/wildcards.h"
#include "analyzer/frames/stable_name.h"

namespace memtrace::analyzer {

namespace {

constexpr auto rows = std::to_array<KnownBounded>({
#define MEMTRACE_KNOWN_BOUNDED(function, file, inner, what, bound, source) \
    {function, file, inner, what, bound, source},
#include "analyzer/frames/known_bounded.def"
});

bool is_python(const Frame& frame) { return frame.kind == FrameKind::python; }

bool is_filler(const KnownBounded& row, const Frame& frame) {
    if (row.file.empty()) {
        return !is_python(frame) && frame.named &&
               matches_wildcards(std::string(row.function), frame.function);
    }
    return is_python(frame) && frame.function == row.function && in_package(frame.file) == row.file;
}

bool may_be_inside(const KnownBounded& row, const Frame& frame) {
    if (!is_python(frame)) return true;
    const std::string_view file = in_package(frame.file);
    std::string_view left = row.inner;
    while (!left.empty()) {
        const size_t end = std::min(left.find('|'), left.size());
        if (file.starts_with(left.substr(0, end))) return true;
        left.remove_prefix(std::min(end + 1, left.size()));
    }
    return false;
}

bool fills(const KnownBounded& row, const Symbols& symbols, std::span<const FrameId> frames) {
    for (const FrameId id : frames) {
        const Frame& frame = symbols.frames[id];
        if (is_filler(row, frame)) return true;
        if (!may_be_inside(row, frame)) return false;
    }
    return false;
}

}  // namespace

const KnownBounded* find_known_bounded(const Symbols& symbols, std::span<const FrameId> frames) {
    for (const KnownBounded& row : rows) {
        if (fills(row, symbols, frames)) return &row;
    }
    return nullptr;
}

}  // namespace memtrace::analyzer
