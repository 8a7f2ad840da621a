// SPDX-License-Identifier: Apache-2.0
#include "analyzer/training/parameter_calls.h"

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

ParameterCalls::ParameterCalls(const Model& model, const Symbols& symbols) {
    std::vector<bool> makers(symbols.frames.size());
    std::transform(symbols.frames.begin(), symbols.frames.end(), makers.begin(), is_maker);
    if (std::find(makers.begin(), makers.end(), true) == makers.end()) return;
    for (const Space& space : model.spaces) {
        for (size_t i = 0; i < space.sites.size(); ++i) {
            bool is_next = false;
            symbols.walk(space.sites.stack(i), [&](FrameId id) {
                const Frame& frame = symbols.frames[id];
                if (frame.kind != FrameKind::python) return;
                // A copy of a parameter is made there, too.
                if (is_next && !is_in_parameter_file(frame)) {
                    uint32_t& last = calls_[frame.file][frame.line];
                    last = std::max({last, frame.line, frame.end_line});
                }
                is_next = makers[id];
            });
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
