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

// What gives a tensor its place for a gradient.
bool is_leaf_maker(const Frame& frame) {
    return frame.kind != FrameKind::python &&
           frame.function.starts_with("c10::TensorImpl::set_requires_grad(");
}

}  // namespace

ParameterCalls::ParameterCalls(const Symbols& symbols) {
    std::vector<bool> makers(symbols.nodes.location_count()), leaf_makers(makers.size());
    for (uint32_t location = 0; location < makers.size(); ++location) {
        for (const FrameId id : symbols.frames_of_location(location)) {
            makers[location] = makers[location] || is_maker(symbols.frames[id]);
            leaf_makers[location] = leaf_makers[location] || is_leaf_maker(symbols.frames[id]);
        }
    }
    for (uint32_t node = 1; node < symbols.nodes.size(); ++node) {
        const uint32_t location = symbols.nodes.location_of(node);
        if (makers[location]) add_caller_of(node, symbols);
        if (leaf_makers[location]) add_leaf_of(node, symbols);
    }
}

void ParameterCalls::add(Lines& lines, const Frame& frame) {
    uint32_t& last = lines[frame.file][frame.line];
    last = std::max({last, frame.line, frame.end_line});
}

// Adds the caller of the innermost maker.
void ParameterCalls::add_caller_of(uint32_t node, const Symbols& symbols) {
    for (bool is_next = false; symbols.has(node); node = symbols.nodes.parent(node)) {
        for (const FrameId id : symbols.frames_of(node)) {
            const Frame& frame = symbols.frames[id];
            if (frame.kind != FrameKind::python) continue;
            if (is_next && !is_maker(frame)) {
                // A copy of a parameter is made there, too.
                if (!is_in_parameter_file(frame)) add(calls_, frame);
                return;
            }
            is_next = is_next || is_maker(frame);
        }
    }
}

// Adds the line that is next outside, unless it is PyTorch's.
void ParameterCalls::add_leaf_of(uint32_t node, const Symbols& symbols) {
    for (; symbols.has(node); node = symbols.nodes.parent(node)) {
        for (const FrameId id : symbols.frames_of(node)) {
            const Frame& frame = symbols.frames[id];
            if (frame.kind != FrameKind::python) continue;
            if (frame.file.find("/torch/") == std::string::npos) add(leaf_calls_, frame);
            return;
        }
    }
}

bool ParameterCalls::is_in(const Lines& lines, const Frame& caller) {
    const auto file = lines.find(caller.file);
    if (file == lines.end()) return false;
    const auto after = file->second.upper_bound(caller.line);
    return after != file->second.begin() && std::prev(after)->second >= caller.line;
}

}  // namespace memtrace::analyzer
