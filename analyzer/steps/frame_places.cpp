// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/frame_places.h"

#include <algorithm>

#include "analyzer/steps/call_plumbing.h"
#include "memtrace/dump/python_records.h"

namespace memtrace::analyzer {
namespace {

// A comprehension or a lambda is a function that has no lines of its own.
bool has_own_lines(const Frame& frame) {
    return frame.kind != FrameKind::python || frame.function.ends_with("<module>") ||
           !frame.function.ends_with('>');
}

}  // namespace

FrameInfo FramePlaces::info(Place place) {
    FrameInfo known = info_of(frame_id(place));
    if (known.source == nullptr) return known;
    const SourceBlock& header = known.source->tree[known.block];
    if (header.setup == 0) return known;
    const auto found = headers_.find({known.source, known.block});
    if (found == headers_.end() || found->second.returns.empty()) return known;
    const uint32_t instruction = instruction_of(place);
    if (instruction < found->second.chooses) known.block = header.setup;
    else if (instruction > found->second.first_of_body) known.block = header.cleanup;
    return known;
}

void FramePlaces::look_at_turn(Place from, Place to, uint64_t count) {
    const FrameInfo& a = info_of(frame_id(from));
    const FrameInfo& b = info_of(frame_id(to));
    if (a.source == nullptr || a.source != b.source || a.block == b.block) return;
    const SourceTree& tree = a.source->tree;
    const auto is_header_of = [&](BlockId header, BlockId inner) {
        return tree[header].setup != 0 && tree.is_in(inner, tree.level_of(header));
    };
    if (is_header_of(b.block, a.block)) {
        Header& header = headers_[{b.source, b.block}];
        const uint32_t at = instruction_of(to);
        const uint64_t returns = header.returns[at] += count;
        const uint64_t most = header.returns[header.chooses];
        if (std::pair(returns, at) > std::pair(most, header.chooses)) header.chooses = at;
        header.first_of_body = std::min(header.first_of_body, instruction_of(from));
    } else if (is_header_of(a.block, b.block)) {
        Header& header = headers_[{a.source, a.block}];
        header.first_of_body = std::min(header.first_of_body, instruction_of(to));
    }
}

uint32_t FramePlaces::instruction_of(Place place) const {
    return python_position_of(location_of(place.node).address);
}

const FrameInfo& FramePlaces::info_of(FrameId id) {
    std::optional<FrameInfo>& known = infos_[id];
    if (known) return *known;
    known.emplace();
    const Frame& frame = symbols_.frames[id];
    known->is_plumbing = facts_->has(id, FrameFacts::shim) || is_call_plumbing(frame);
    const bool is_python = frame.kind == FrameKind::python;
    const bool is_code =
        is_python || frame.kind == FrameKind::native || frame.kind == FrameKind::inlined;
    // "<string>" is no file.
    const bool has_file = !frame.file.empty() && !frame.file.starts_with('<');
    if (!is_code || !has_file || frame.line == 0 || !has_own_lines(frame)) return *known;
    const bool is_own = is_user_code(frame, code_);
    if (!is_python && !is_own) return *known;
    const ParsedSource& source = files_.of(frame);
    if (!source.why_not.empty()) {
        if (is_own) unreadable_.insert(source.why_not);
        return *known;
    }
    const std::optional<BlockId> block = source.tree.at(frame.line);
    if (!block) return *known;
    known->source = &source;
    known->block = *block;
    return *known;
}

bool FramePlaces::is_same_function(Place a, Place b) const {
    const Frame& left = frame(a);
    const Frame& right = frame(b);
    if (left.kind != right.kind) return false;
    if (left.kind == FrameKind::python) {
        return python_code_of(location_of(a.node).address) ==
               python_code_of(location_of(b.node).address);
    }
    return left.function == right.function && left.file == right.file &&
           left.module == right.module;
}

Spot FramePlaces::spot_of(Place place, BlockId block) const {
    if (frame(place).kind != FrameKind::python) return {block, 0};
    return {block, instruction_of(place)};
}

}  // namespace memtrace::analyzer
