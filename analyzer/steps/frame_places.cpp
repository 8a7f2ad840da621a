// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/frame_places.h"

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

const FrameInfo& FramePlaces::info(Place place) {
    const FrameId id = frame_id(place);
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
    return {block, python_position_of(location_of(place.node).address)};
}

}  // namespace memtrace::analyzer
