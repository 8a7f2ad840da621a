// SPDX-License-Identifier: Apache-2.0
//
// Names for the addresses of a stack tree. symbolise() makes them and reports read them.
//
// One location (one return address) stands for one or more frames, because the compiler inlines
// functions. Equal frames are stored once, so reports may compare ids.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/model/model.h"

namespace memtrace::analyzer {

// cut: the callers are not known. gap: frames of Python are missing here. group: not a function but
// a group of site_groups.h. backward: not a call but a node that autograd ran backward, named by
// the line that went forward.
enum class FrameKind : uint8_t { native, inlined, python, cut, gap, group, backward };

struct Frame {
    std::string function;  // full and demangled; "libx.so+0x12" if it has no known name
    std::string file;      // empty: not known
    uint32_t line = 0;     // 0: not known
    std::string module;    // path as recorded; empty: the code belongs to no file
    FrameKind kind = FrameKind::native;
    bool named = false;  // False: `function` is an address.
    // Extent of the expression, in columns from 1; 0: not known. Python records it since 3.11.
    uint32_t end_line = 0;
    uint32_t column = 0;
    uint32_t end_column = 0;
    std::string operation;  // class of a backward frame's node: "AddmmBackward0"

    bool operator==(const Frame&) const = default;
};

using FrameId = uint32_t;

struct FrameFacts;

// Kinds of names that were found for a module.
enum class Names : uint8_t {
    none = 0,     // its file was not found
    rebuilt = 1,  // a file was found, but not the one that was recorded
    symbols = 2,  // functions
    lines = 3,    // functions, inlined functions, files and lines
};

struct FrameRange {
    uint32_t begin = 0;
    uint32_t count = 0;  // 0: the location occurs in no used stack
};

struct Symbols {
    std::vector<Frame> frames;
    StackNodes nodes;                // those of the StackTree
    std::vector<FrameRange> ranges;  // by location: its frames in of_locations
    std::vector<FrameId> of_locations;
    std::vector<bool> complete;         // by node: the stack reaches the start of its thread
    std::map<uint32_t, Names> modules;  // by module id, for modules that occur in used stacks
    std::unordered_map<uint32_t, uint32_t> forwards;  // by backward node: the stack that went
                                                      // forward, or no_stack
    // Kept by facts_of() in frames/frame_facts.h; null: not needed yet.
    mutable std::shared_ptr<const FrameFacts> facts;
    std::vector<Problem> problems;   // files that are not used because names would be wrong
    std::vector<std::string> notes;  // names that are missing, and the reasons

    std::span<const FrameId> frames_of_location(uint32_t location) const {
        if (location >= ranges.size()) return {};
        return std::span(of_locations).subspan(ranges[location].begin, ranges[location].count);
    }
    std::span<const FrameId> frames_of(uint32_t node) const {
        if (node >= nodes.size()) return {};
        return frames_of_location(nodes.location_of(node));
    }
    bool has(uint32_t stack) const { return stack != no_stack && stack < nodes.size(); }

    // Removes the frames for which is_wanted(frame) is false from all nodes.
    void keep_frames(auto&& is_wanted) {
        facts = nullptr;
        for (FrameRange& range : ranges) {
            uint32_t kept = 0;
            for (uint32_t i = 0; i < range.count; ++i) {
                const FrameId id = of_locations[range.begin + i];
                if (is_wanted(frames[id])) of_locations[range.begin + kept++] = id;
            }
            range.count = kept;
        }
    }

    // Calls each(node) from the innermost node to the outermost, for at most `depth` nodes if
    // `depth` is not 0.
    void walk_nodes(uint32_t stack, auto&& each, uint32_t depth = 0) const {
        for (uint32_t count = 0; has(stack); ++count) {
            if (depth != 0 && count == depth) return;
            each(stack);
            stack = nodes.parent(stack);
        }
    }

    // Calls each(frame id) for the frames of the same nodes.
    void walk(uint32_t stack, auto&& each, uint32_t depth = 0) const {
        const auto each_node = [&](uint32_t node) {
            for (const FrameId id : frames_of(node)) each(id);
        };
        walk_nodes(stack, each_node, depth);
    }

    // Returns the innermost backward frame of `stack`, or nothing.
    std::optional<FrameId> backward_of(uint32_t stack) const {
        if (forwards.empty()) return std::nullopt;
        for (; has(stack); stack = nodes.parent(stack)) {
            if (forwards.contains(stack)) return frames_of(stack)[0];
        }
        return std::nullopt;
    }

    // Calls each(frame id) for the stack that went forward, if `stack` contains a backward node. If
    // that node was itself made in a backward pass, the stack is that of the first forward
    // operation.
    void walk_forward(uint32_t stack, auto&& each) const {
        if (forwards.empty()) return;
        bool is_forward = false;
        while (has(stack)) {
            const auto found = forwards.find(stack);
            if (found != forwards.end()) {
                stack = found->second;
                is_forward = true;
                continue;
            }
            if (is_forward) {
                for (const FrameId id : frames_of(stack)) each(id);
            }
            stack = nodes.parent(stack);
        }
    }
};

}  // namespace memtrace::analyzer
