// SPDX-License-Identifier: Apache-2.0
//
// A program of Python or C++ for tests of loops: its source, and the stacks that took memory.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "analyzer/steps/find_loops.h"
#include "memtrace/dump/python_records.h"
#include "tests/tools/files.h"

namespace memtrace::analyzer::test {

using memtrace::test::TempFile;

// Stacks are lines, outermost first. One behind the end of the source is a function without.
class Program {
public:
    explicit Program(const std::string& source, bool is_cpp = false)
        : is_cpp_(is_cpp), file_({source.begin(), source.end()}), files_(0, "") {
        look_.stacks.nodes.push_back({});
        symbols_.nodes = look_.stacks.nodes;
        symbols_.ranges.resize(1);
    }

    void take(std::initializer_list<uint32_t> lines, uint64_t bytes = 0, uint32_t thread = 0) {
        uint32_t stack = no_stack;
        for (const uint32_t line : lines) stack = node(stack, line);
        look_.moves.take(thread, stack, time_ += 1 << 20, bytes);
    }

    SourceLoops loops() {
        look_.moves.finish();
        look_.clock.settle();
        return find_loops(look_, look_.moves.turns(), symbols_, {}, files_).found;
    }

private:
    // Functions are told apart by the hundreds of their lines.
    uint32_t node(uint32_t parent, uint32_t line) {
        for (uint32_t id = 1; id < look_.stacks.nodes.size(); ++id) {
            const StackNode known = look_.stacks.nodes[id];
            if (known.parent == parent && python_position_of(known.address) == line) return id;
        }
        StackNode node;
        node.parent = parent;
        node.kind = is_cpp_ ? NodeKind::native : NodeKind::python;
        node.defined = true;
        node.address = python_address(parent == no_stack ? 1 : 2, line);
        const uint32_t id = look_.stacks.nodes.push_back(node);
        const uint32_t location = look_.stacks.nodes.location_of(id);
        if (location >= symbols_.ranges.size()) {
            symbols_.ranges.resize(location + 1);
            Frame frame;
            frame.kind = is_cpp_ ? FrameKind::native : FrameKind::python;
            if (is_cpp_) frame.module = "/home/u/program";
            frame.function = parent == no_stack ? "main" : "work";
            frame.file = file_.path();
            frame.line = line % 10'000;  // Above are other instructions of the line.
            symbols_.frames.push_back(frame);
            symbols_.ranges[location] = {static_cast<uint32_t>(symbols_.of_locations.size()), 1};
            symbols_.of_locations.push_back(static_cast<FrameId>(symbols_.frames.size() - 1));
        }
        return id;
    }

    bool is_cpp_;
    TempFile file_;
    SourceFiles files_;
    PathLook look_{1'000'000'000};
    Symbols symbols_;
    uint64_t time_ = 0;
};

}  // namespace memtrace::analyzer::test
