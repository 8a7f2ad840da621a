// SPDX-License-Identifier: Apache-2.0
#include "analyzer/frames/stack_view.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "analyzer/base/paths.h"
#include "analyzer/frames/interpreter_frames.h"
#include "analyzer/frames/start_functions.h"

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

}  // namespace

StackView::StackView(const Symbols& symbols, bool interpreter_frames)
    : symbols_(symbols), lines_(find_lines(symbols.frames)) {
    if (interpreter_frames) return;
    std::vector<bool> python, before;  // by frame
    for (const Frame& frame : symbols.frames) {
        const bool interpreter = is_interpreter_frame(frame);
        interpreter_.push_back(interpreter);
        python.push_back(frame.kind == FrameKind::python && !interpreter);
        before.push_back(is_before_python(frame, interpreter));
    }
    const size_t nodes = symbols.parents.size();
    shows_python_.assign(nodes, false);
    outside_.assign(nodes, false);
    std::vector<bool> known(nodes);
    std::vector<uint32_t> path;
    for (uint32_t first = 1; first < nodes; ++first) {
        uint32_t id = first;
        for (path.clear(); id != no_stack && id < nodes && !known[id]; id = symbols.parents[id]) {
            known[id] = true;
            path.push_back(id);
        }
        for (; !path.empty(); path.pop_back()) {
            const uint32_t node = path.back();
            const uint32_t parent = symbols.parents[node];
            const bool root = parent == no_stack || parent >= nodes;
            const auto frames = symbols.frames_of(node);
            const auto is = [](const std::vector<bool>& set) {
                return [&set](FrameId frame) { return set[frame]; };
            };
            shows_python_[node] = (!root && shows_python_[parent]) ||
                                  std::any_of(frames.begin(), frames.end(), is(python));
            outside_[node] =
                (root || outside_[parent]) && std::all_of(frames.begin(), frames.end(), is(before));
        }
    }
}

}  // namespace memtrace::analyzer
