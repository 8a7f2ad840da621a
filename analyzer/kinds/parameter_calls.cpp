// SPDX-License-Identifier: Apache-2.0
#include "analyzer/kinds/parameter_calls.h"

#include <algorithm>
#include <vector>

namespace memtrace::analyzer {
namespace {

bool is_in_parameter_file(const Frame& frame) {
    return frame.file.ends_with("/torch/nn/parameter.py");
}

// Parameter.__new__, whose caller is the expression.
bool is_maker(const Frame& frame) {
    return frame.kind == FrameKind::python && is_in_parameter_file(frame) &&
           frame.function.ends_with("__new__");
}

}  // namespace

ParameterCalls::ParameterCalls(const Symbols& symbols) {
    std::vector<bool> makers(symbols.nodes.location_count());
    for (uint32_t location = 0; location < makers.size(); ++location) {
        const auto frames = symbols.frames_of_location(location);
        makers[location] = std::any_of(frames.begin(), frames.end(),
                                       [&](FrameId id) { return is_maker(symbols.frames[id]); });
    }
    if (std::find(makers.begin(), makers.end(), true) == makers.end()) return;
    for (uint32_t node = 1; node < symbols.nodes.size(); ++node) {
        if (makers[symbols.nodes.location_of(node)]) add_caller_of(node, symbols);
    }
}

// Adds the caller of the innermost maker.
void ParameterCalls::add_caller_of(uint32_t node, const Symbols& symbols) {
    for (bool is_next = false; symbols.has(node); node = symbols.nodes.parent(node)) {
        for (const FrameId id : symbols.frames_of(node)) {
            const Frame& frame = symbols.frames[id];
            if (frame.kind != FrameKind::python) continue;
            if (is_next && !is_maker(frame)) {
                // A copy of a parameter is made there, too.
                if (is_in_parameter_file(frame)) return;
                uint32_t& last = calls_[frame.file][frame.line];
                last = std::max({last, frame.line, frame.end_line});
                return;
            }
            is_next = is_next || is_maker(frame);
        }
    }
}

bool ParameterCalls::contains(const Frame& caller) const {
    const auto file = calls_.find(caller.file);
    if (file == calls_.end()) return false;
    const auto after = file->second.upper_bound(caller.line);
    return after != file->second.begin() && std::prev(after)->second >= caller.line;
}

}  // namespace memtrace::analyzer
