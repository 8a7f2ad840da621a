// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/frame_places.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>

#include "analyzer/frames/short_name.h"
#include "analyzer/model/known_modules.h"
#include "analyzer/steps/call_plumbing.h"
#include "memtrace/dump/python_records.h"

namespace memtrace::analyzer {
namespace {

// A comprehension or a lambda is a function that has no lines of its own.
bool has_own_lines(const Frame& frame) {
    return frame.kind != FrameKind::python || frame.function.ends_with("<module>") ||
           !frame.function.ends_with('>');
}

// Returns the name that a call has in the source: the last part of a shortened one. Empty: it has
// none, as a lambda or an operator.
std::string bare_name(std::string_view function) {
    std::string name = shorten(function);
    name.erase(std::min(name.find_first_of("<("), name.size()));
    const size_t begin = name.rfind("::");
    if (begin != std::string::npos) name.erase(0, begin + 2);
    const bool is_word = std::all_of(name.begin(), name.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    });
    return is_word && !name.starts_with("operator") ? name : std::string();
}

}  // namespace

FrameInfo FramePlaces::info(Place place) {
    const Known& frame = known_of(frame_id(place));
    FrameInfo known = frame.info;
    if (frame.closes && !names_what_it_calls(place, known)) {
        known.source = nullptr;
        known.may_loop = known.is_unplaced = true;
    }
    if (frame.header == nullptr || frame.header->returns.empty()) return known;
    const SourceBlock& block = known.source->tree[known.block];
    const uint32_t instruction = instruction_of(place);
    if (instruction < frame.header->chooses) known.block = block.setup;
    else if (instruction > frame.header->first_of_body) known.block = block.cleanup;
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

FramePlaces::Dull FramePlaces::dull_of(uint32_t node) {
    std::optional<Dull>& known = dulls_[symbols_.nodes.location_of(node)];
    if (known) return *known;
    Dull dull{true, true, false};
    for (const FrameId id : symbols_.frames_of(node)) {
        const FrameInfo& info = info_of(id);
        dull.is_plumbing &= info.is_plumbing;
        dull.may_loop |= info.may_loop;
        dull.is_dull = info.source == nullptr;
        if (!dull.is_dull) break;
    }
    return *(known = dull);
}

const FramePlaces::Known& FramePlaces::known_of(FrameId id) {
    Known& known = infos_[id];
    if (known.is_known) return known;
    known.is_known = true;
    known.info = find_info(id);
    const FrameInfo& info = known.info;
    if (info.source == nullptr) {
        known.info.may_loop = info.is_unplaced || may_take_in_a_loop(symbols_.frames[id], files_);
    } else if (!info.source->is_python) {
        const SourceTree& tree = info.source->tree;
        BlockId function = info.block;
        while (function != 0 && tree[function].kind != BlockKind::function)
            function = tree[function].parent;
        const SourceBlock& around = tree[function];
        known.closes = function != 0 && around.line < around.end_line &&
                       around.end_line == symbols_.frames[id].line;
    } else if (info.source->tree[info.block].setup != 0) {
        known.header = &headers_[{info.source, info.block}];
    }
    return known;
}

FrameInfo FramePlaces::find_info(FrameId id) {
    const Frame& frame = symbols_.frames[id];
    FrameInfo info;
    info.is_plumbing = is_shim_module(frame.module) || is_call_plumbing(frame);
    const bool is_python = frame.kind == FrameKind::python;
    const bool is_code =
        is_python || frame.kind == FrameKind::native || frame.kind == FrameKind::inlined;
    // "<string>" is no file.
    const bool has_file = !frame.file.empty() && !frame.file.starts_with('<');
    if (!is_code || !has_file || frame.line == 0 || !has_own_lines(frame)) return info;
    info.is_own = is_user_code(frame, code_);
    if (!is_python && !info.is_own) return info;
    const ParsedSource& source = files_.of(frame);
    if (!source.why_not.empty()) {
        if (info.is_own) unreadable_.insert(source.why_not);
        return info;
    }
    const std::optional<BlockId> block = source.tree.at(frame.line);
    if (!block) {
        info.is_unplaced = !is_python;
        return info;
    }
    // A lambda on the line of the statement that it is part of has no lines of its own.
    const bool is_lambda = frame.function.find("{lambda") != std::string::npos;
    if (is_lambda && source.tree[*block].has_function) return info;
    info.source = &source;
    info.block = *block;
    const uint32_t body = source.tree[*block].body;
    const size_t last = frame.function.rfind('.') + 1;
    if (body != 0 && source.tree.has_word(*block, frame.function.substr(last))) info.block = body;
    return info;
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

bool FramePlaces::is_own(uint32_t node) {
    for (uint32_t i = 0; i < frame_count(node); ++i) {
        if (info({node, i}).is_own) return true;
    }
    return false;
}

bool FramePlaces::calls_unseen(uint32_t caller, uint32_t callee) {
    if (frame_count(caller) == 0 || frame_count(callee) == 0) return false;
    const FrameInfo from = info({caller, static_cast<uint32_t>(frame_count(caller) - 1)});
    const Place inner{callee, 0};
    if (from.source == nullptr || from.source->is_python || !info(inner).is_own) return false;
    const std::string name = bare_name(frame(inner).function);
    return !name.empty() && !from.source->tree.has_word(from.block, name);
}

bool FramePlaces::names_what_it_calls(Place place, const FrameInfo& known) {
    Place inner{place.node, place.index + 1};
    if (inner.index == frame_count(place.node)) inner = {a_child_of(place.node), 0};
    // The allocator itself has no frame, or one without a name.
    std::string name = frame_count(inner.node) == 0 ? "malloc" : bare_name(frame(inner).function);
    if (name.empty() && is_call_plumbing(frame(inner))) name = "new";
    return !name.empty() && known.source->tree.has_word(known.block, name);
}

uint32_t FramePlaces::a_child_of(uint32_t node) {
    const StackNodes& nodes = symbols_.nodes;
    if (children_.size() == 0) {
        children_ = LongList<uint32_t>(nodes.size());
        for (uint32_t child = 1; child < nodes.size(); ++child) {
            if (frame_count(child) != 0) children_[nodes.parent(child)] = child;
        }
    }
    return children_[node];
}

// CPython 3.11 has two instructions for a call, and either may do it: once it knows what is called,
// it goes over from the second to the first. And a function of Python that is called without a
// function of C between is called from the last entry of the call's cache. So the same call is met
// at up to three positions, and they must not look like the beginning and the end of something.
uint32_t FramePlaces::first_instruction_of_call(Place place) {
    constexpr uint32_t length = 6;  // from the first of these positions to the last
    const uint32_t at = instruction_of(place);
    std::set<uint32_t>& calls = calls_[frame_id(place)];
    const auto known = calls.lower_bound(at - std::min(at, length));
    if (known != calls.end() && *known <= at + length) return *known;
    return *calls.insert(at).first;
}

Spot FramePlaces::spot_of(Place place, BlockId block) {
    const Known& known = known_of(frame_id(place));
    const Frame& at = frame(place);
    if (at.kind != FrameKind::python) return {block, 0};
    // Without columns, calls in one line cannot be told apart. And the header of a loop does
    // several things in the columns of its elements.
    const bool is_exact = at.column == 0 || known.header != nullptr;
    return {block, is_exact ? instruction_of(place) : first_instruction_of_call(place)};
}

bool is_main(const Frame& frame) {
    const bool is_native = frame.kind == FrameKind::native || frame.kind == FrameKind::inlined;
    return is_native && frame.function.substr(0, frame.function.find('(')) == "main";
}

}  // namespace memtrace::analyzer
