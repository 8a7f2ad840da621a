// SPDX-License-Identifier: Apache-2.0
#include "analyzer/frames/frame_facts.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analyzer/base/paths.h"
#include "analyzer/frames/backward_frames.h"
#include "analyzer/frames/frame_filter.h"
#include "analyzer/frames/interpreter_frames.h"
#include "analyzer/frames/start_functions.h"
#include "analyzer/model/known_modules.h"

namespace memtrace::analyzer {

namespace {

// True for frames between the kernel and the first function of the thread's own code. In libc they
// may have no name: no stripped file contains the name __libc_start_call_main.
bool is_before_python(const Frame& frame, bool interpreter) {
    static constexpr auto modules = std::to_array<std::string_view>(
        {"libc.so", "libc-2", "libpthread", "ld-linux", "ld-2", "ld-musl"});
    if (frame.kind == FrameKind::python || frame.kind == FrameKind::cut ||
        frame.kind == FrameKind::backward) {
        return false;
    }
    if (interpreter || frame.kind == FrameKind::gap) return true;
    if (is_start_function(frame.function)) return true;
    const std::string name = base_name(frame.module);
    return std::any_of(modules.begin(), modules.end(),
                       [&](std::string_view start) { return name.starts_with(start); });
}

std::vector<FrameId> find_lines(const std::vector<Frame>& frames) {
    using Key = std::pair<std::string_view, std::string_view>;
    struct Hash {
        size_t operator()(const Key& key) const {
            const std::hash<std::string_view> hash;
            return hash(key.first) * 31 + hash(key.second);
        }
    };
    std::unordered_map<Key, std::vector<FrameId>, Hash> known;  // frames by file and function
    std::vector<FrameId> lines(frames.size());
    for (FrameId id = 0; id < frames.size(); ++id) {
        lines[id] = id;
        const Frame& frame = frames[id];
        if (frame.kind != FrameKind::python) continue;
        std::vector<FrameId>& alike = known[{frame.file, frame.function}];
        const auto same = std::find_if(alike.begin(), alike.end(), [&](FrameId other) {
            return frames[other].line == frame.line && frames[other].module == frame.module;
        });
        if (same != alike.end()) lines[id] = *same;
        else alike.push_back(id);
    }
    return lines;
}

// Every Python module is called "<module>", and every constructor "__init__". So the file of such a
// function is part of its name.
std::vector<uint32_t> number_functions(const std::vector<Frame>& frames) {
    std::unordered_map<std::string, uint32_t> numbers;
    std::vector<uint32_t> functions;
    functions.reserve(frames.size());
    for (const Frame& frame : frames) {
        const auto next = static_cast<uint32_t>(numbers.size());
        std::string name = frame.function;
        if (frame.kind == FrameKind::python) name = frame.file + '\0' + name;
        if (frame.kind == FrameKind::backward) name = backward_function(frame) + '\0' + frame.file;
        functions.push_back(numbers.try_emplace(std::move(name), next).first->second);
    }
    return functions;
}

uint8_t bits_of(const Frame& frame) {
    const bool interpreter = is_interpreter_frame(frame);
    unsigned bits = 0;
    const auto set = [&](FrameFacts::Bit bit, bool value) {
        if (value) bits |= bit;
    };
    set(FrameFacts::interesting, is_interesting(frame));
    set(FrameFacts::interpreter, interpreter);
    set(FrameFacts::python, frame.kind == FrameKind::python);
    set(FrameFacts::backward, frame.kind == FrameKind::backward);
    set(FrameFacts::gap, frame.kind == FrameKind::gap);
    set(FrameFacts::before_python, is_before_python(frame, interpreter));
    set(FrameFacts::shim, is_shim_module(frame.module));
    return static_cast<uint8_t>(bits);
}

// First by location, because there are far fewer of them than nodes.
void fold_nodes(const Symbols& symbols, FrameFacts& facts) {
    const StackNodes& nodes = symbols.nodes;
    std::vector<uint8_t>& of_locations = facts.locations;
    of_locations.assign(nodes.location_count(), 0);
    for (uint32_t location = 0; location < nodes.location_count(); ++location) {
        const auto frames = symbols.frames_of_location(location);
        const bool is_python = std::any_of(frames.begin(), frames.end(), [&](FrameId frame) {
            return facts.has(frame, FrameFacts::python) &&
                   !facts.has(frame, FrameFacts::interpreter);
        });
        const bool is_before = std::all_of(frames.begin(), frames.end(), [&](FrameId frame) {
            return facts.has(frame, FrameFacts::before_python);
        });
        const bool is_dull = std::none_of(frames.begin(), frames.end(), [&](FrameId frame) {
            return facts.has(frame, FrameFacts::interesting);
        });
        const bool is_folded = std::all_of(frames.begin(), frames.end(), [&](FrameId frame) {
            return facts.has(frame, FrameFacts::interpreter) ||
                   !facts.has(frame, FrameFacts::interesting);
        });
        of_locations[location] = static_cast<uint8_t>((is_python ? FrameFacts::python_node : 0) |
                                                      (is_before ? FrameFacts::outside_node : 0) |
                                                      (is_dull ? FrameFacts::dull_location : 0) |
                                                      (is_folded ? FrameFacts::dull_if_folded : 0));
    }
    facts.nodes.assign(nodes.size(), 0);
    for (const auto& [node, forward] : symbols.forwards) {
        if (node < nodes.size()) facts.nodes[node] = FrameFacts::backward_node;
    }
    constexpr unsigned from_callers = FrameFacts::python_node | FrameFacts::backward_node;
    for (uint32_t node = 1; node < nodes.size(); ++node) {  // callers first
        const uint32_t parent = nodes.parent(node);
        const unsigned above =
            parent == no_stack ? unsigned{FrameFacts::outside_node} : facts.nodes[parent];
        const unsigned here = of_locations[nodes.location_of(node)] | facts.nodes[node];
        facts.nodes[node] = static_cast<uint8_t>(((here | above) & from_callers) |
                                                 (here & above & FrameFacts::outside_node));
    }
}

}  // namespace

std::shared_ptr<const FrameFacts> facts_of(const Symbols& symbols) {
    std::shared_ptr<const FrameFacts>& known = symbols.facts;
    const bool is_current = known != nullptr && known->bits.size() == symbols.frames.size() &&
                            known->nodes.size() == symbols.nodes.size();
    if (is_current) return known;
    auto facts = std::make_shared<FrameFacts>();
    facts->bits.reserve(symbols.frames.size());
    for (const Frame& frame : symbols.frames) facts->bits.push_back(bits_of(frame));
    facts->lines = find_lines(symbols.frames);
    facts->functions = number_functions(symbols.frames);
    fold_nodes(symbols, *facts);
    return known = std::move(facts);
}

}  // namespace memtrace::analyzer
