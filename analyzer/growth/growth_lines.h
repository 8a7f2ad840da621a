// SPDX-License-Identifier: Apache-2.0
//
// What growth needs to know of the lines in stacks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analyzer/base/number_hash.h"
#include "analyzer/frames/stack_view.h"
#include "analyzer/model/symbols.h"
#include "analyzer/sites/recording.h"
#include "analyzer/sites/site_table.h"

namespace memtrace::analyzer {

// Facts about each frame.
struct GrowthLines {
    std::vector<bool> interesting;  // interesting by frame_filter.h, and not the shim's own
    std::vector<bool> own;          // a line of the user's own code
    bool does_known_steps = false;  // RunFacts
};

GrowthLines growth_lines_of(const Recording& recording);

// Tells by the libraries in its stacks that a program does steps that go on for as long as it is
// allowed to: it trains a model, or answers requests. Memory that each of them keeps is a leak.
bool is_step_code(const Frame& frame);

// The stacks of call sites as growth compares them: their paths, the lines of the user's own code
// in them, and whether they read the same.
class SiteLines {
public:
    SiteLines(const StackView& view, const GrowthLines& facts) : view_(view), facts_(facts) {}

    const std::vector<bool>& own() const { return facts_.own; }

    std::vector<FrameId> path_of(uint32_t stack) const {
        std::vector<FrameId> path;
        set_path(path, stack);
        return path;
    }

    // Writes the frames of a stack into `path`, outermost first.
    void set_path(std::vector<FrameId>& path, uint32_t stack) const {
        path.clear();
        const auto add = [&](FrameId id) {
            path.push_back(view_.line_of(id));
            return path.size() < path_max;
        };
        view_.walk_interesting(
            stack, [&](FrameId id, uint32_t) { return !facts_.interesting[id] || add(id); });
        if (path.empty()) view_.walk(stack, [&](FrameId id, uint32_t) { return add(id); });
        std::reverse(path.begin(), path.end());
    }

    // Returns a number that is the same for stacks that read the same, frame for frame.
    uint64_t place_of(uint32_t stack) const {
        uint64_t place = 0;
        view_.walk(stack, [&](FrameId id, uint32_t) {
            place = NumberHash{}(place + view_.line_of(id) + 1);
            return true;
        });
        return place;
    }

    // Returns the innermost line of the user's own code; no_frame if there is none in the stack.
    FrameId own_line_of(uint32_t stack) const {
        FrameId found = no_frame;
        view_.walk_interesting(stack, [&](FrameId id, uint32_t) {
            if (facts_.own[id]) found = view_.line_of(id);
            return found == no_frame;
        });
        return found;
    }

    // Returns all of these lines, innermost first.
    std::vector<FrameId> own_lines_of(uint32_t stack) const {
        std::vector<FrameId> lines;
        view_.walk(stack, [&](FrameId id, uint32_t) {
            if (facts_.own[id]) lines.push_back(view_.line_of(id));
            return lines.size() < path_max;
        });
        return lines;
    }

private:
    static constexpr uint64_t path_max = 200;  // innermost frames of a stack that are compared

    const StackView& view_;
    const GrowthLines& facts_;
};

// The libraries that were loaded at several places, one after the other. What such a library
// allocates has several call sites that read the same.
class LoadedAgain {
public:
    explicit LoadedAgain(const StackTree& stacks) : nodes_(stacks.nodes) {
        std::map<std::string, std::vector<uint32_t>> by_path;
        for (const auto& [id, module] : stacks.modules) by_path[module.path].push_back(id);
        for (const auto& [path, ids] : by_path) {
            if (ids.size() > 1) modules_.insert(ids.begin(), ids.end());
        }
    }

    // True if such a library is in the stack.
    bool is_in(uint32_t stack) const {
        if (modules_.empty()) return false;
        for (; stack != no_stack; stack = nodes_.parent(stack)) {
            if (modules_.contains(nodes_.location(nodes_.location_of(stack)).module)) return true;
        }
        return false;
    }

private:
    StackNodes nodes_;
    std::set<uint32_t> modules_;
};

}  // namespace memtrace::analyzer
