// SPDX-License-Identifier: Apache-2.0
//
// Names for the addresses of a stack tree: what symbolise makes and reports read.
//
// One node of the tree (one return address) stands for one or more frames, because the compiler
// puts functions into their callers. Equal frames are stored once, so reports may compare ids.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/model/model.h"

namespace memtrace::analyzer {

// cut: what is outside of here is not known. gap: here frames of Python are missing. group: no
// function, but what its name says. backward: no call, but a node that autograd ran, with the name
// of the line that went forward.
enum class FrameKind : uint8_t { native, inlined, python, cut, gap, group, backward };

struct Frame {
    std::string function;  // full, demangled; "libx.so+0x12" if nobody knows its name
    std::string file;      // empty: not known
    uint32_t line = 0;     // 0: not known
    std::string module;    // path as recorded; empty: code that belongs to no file
    FrameKind kind = FrameKind::native;
    bool named = false;  // False: `function` is an address.
    // Python from 3.11 on: the expression, in columns from 1 to the last; 0: not known.
    uint32_t end_line = 0;
    uint32_t column = 0;
    uint32_t end_column = 0;
    std::string operation;  // of a backward frame: the class of the node, "AddmmBackward0"

    bool operator==(const Frame&) const = default;
};

using FrameId = uint32_t;

// How much could be learned about a module.
enum class Names : uint8_t {
    none = 0,     // its file was not found
    rebuilt = 1,  // a file was found, but it is not the one that was recorded
    symbols = 2,  // functions
    lines = 3,    // functions, inlined functions, files and lines
};

struct Symbols {
    std::vector<Frame> frames;
    std::vector<uint32_t> first;        // by node: frames of node n are
    std::vector<FrameId> of_nodes;      // of_nodes[first[n]] … of_nodes[first[n + 1]]
    std::vector<uint32_t> parents;      // by node: like the tree's, but free of cycles
    std::vector<bool> complete;         // by node: the stack reaches the start of its thread
    std::map<uint32_t, Names> modules;  // by module id, for modules that occur in used stacks
    std::unordered_map<uint32_t, uint32_t> forwards;  // by node that stands for a backward: the
                                                      // stack that went forward, or no_stack
    std::vector<Problem> problems;                    // names would be wrong: not used
    std::vector<std::string> notes;                   // names are missing, and why

    std::span<const FrameId> frames_of(uint32_t node) const {
        if (node + 1 >= first.size()) return {};
        return std::span(of_nodes).subspan(first[node], first[node + 1] - first[node]);
    }

    // Calls each(node) from the innermost node to the outermost; `depth` nodes at most, unless it
    // is 0.
    void walk_nodes(uint32_t stack, auto&& each, uint32_t depth = 0) const {
        for (uint32_t count = 0; stack != no_stack && stack < parents.size(); ++count) {
            if (depth != 0 && count == depth) return;
            each(stack);
            stack = parents[stack];
        }
    }

    // The same for the frames of these nodes: each(frame id).
    void walk(uint32_t stack, auto&& each, uint32_t depth = 0) const {
        const auto each_node = [&](uint32_t node) {
            for (const FrameId id : frames_of(node)) each(id);
        };
        walk_nodes(stack, each_node, depth);
    }

    // The frame that says what `stack` went backward for, if it did: the innermost one.
    std::optional<FrameId> backward_of(uint32_t stack) const {
        if (forwards.empty()) return std::nullopt;
        for (; stack != no_stack && stack < parents.size(); stack = parents[stack]) {
            if (forwards.contains(stack)) return frames_of(stack)[0];
        }
        return std::nullopt;
    }

    // Calls each(frame id) for the stack that went forward, if `stack` is of something that went
    // backward. Where that was made backward itself, it is the stack of what went forward first.
    void walk_forward(uint32_t stack, auto&& each) const {
        if (forwards.empty()) return;
        bool is_forward = false;
        while (stack != no_stack && stack < parents.size()) {
            const auto found = forwards.find(stack);
            if (found != forwards.end()) {
                stack = found->second;
                is_forward = true;
                continue;
            }
            if (is_forward) {
                for (const FrameId id : frames_of(stack)) each(id);
            }
            stack = parents[stack];
        }
    }
};

}  // namespace memtrace::analyzer
