// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diff/line_place.h"

#include <algorithm>
#include <functional>

namespace memtrace::analyzer {

namespace {

uint64_t hash_of(const std::string& text) { return std::hash<std::string>{}(text); }

// Adds a value under its key. A second one that is another makes the key ambiguous.
template <class Map>
void add(Map& map, const typename Map::key_type& key, const typename Map::mapped_type& value) {
    const auto [known, is_first] = map.try_emplace(key, value);
    if (!is_first && known->second != value) known->second.reset();
}

}  // namespace

LinePlaces::LinePlaces(const StackTree& stacks) {
    for (const auto& [id, module] : stacks.modules) {
        const bool is_known = !module.build_id.empty();
        add(builds_, module.path, is_known ? std::optional(module.build_id) : std::nullopt);
    }
    for (const auto& [id, code] : stacks.codes) {
        const PythonCode made{hash_of(code.lines), static_cast<uint32_t>(code.first_line)};
        add(functions_, {code.file, code.name},
            code.lines_whole ? std::optional(made) : std::nullopt);
    }
}

LinePlace LinePlaces::of(const Frame& frame) const {
    if (frame.kind == FrameKind::python || frame.kind == FrameKind::backward) {
        const auto found = functions_.find({frame.file, frame.function});
        if (found == functions_.end() || !found->second) return {};
        const auto& [lines, first] = *found->second;
        return {lines, frame.line - std::min(frame.line, first)};
    }
    const auto found = builds_.find(frame.module);
    if (found == builds_.end() || !found->second) return {};
    return {hash_of(*found->second + frame.file), frame.line};
}

}  // namespace memtrace::analyzer
