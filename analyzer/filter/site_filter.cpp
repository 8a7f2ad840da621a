// SPDX-License-Identifier: Apache-2.0
#include "analyzer/filter/site_filter.h"

#include <algorithm>
#include <cstdint>
#include <functional>

#include "analyzer/filter/frame_match.h"
#include "analyzer/frames/interpreter_frames.h"
#include "analyzer/model/kept_sites.h"
#include "analyzer/model/measure.h"

namespace memtrace::analyzer {
namespace {

bool is_python(const Frame& frame) {
    return frame.kind == FrameKind::python && !is_interpreter_frame(frame);
}

// The frames that --python-only shows: also those that stand for Python's.
bool is_shown_as_python(const Frame& frame) {
    return is_python(frame) || frame.kind == FrameKind::gap || frame.kind == FrameKind::backward;
}

using FrameTest = std::function<bool(const Frame&)>;

// Each test must be passed by a frame of the stack.
std::vector<FrameTest> tests_of(const SiteFilters& filters, const CodePatterns& code) {
    std::vector<FrameTest> tests;
    const auto add = [&](const std::vector<std::string>& patterns, auto matches) {
        if (patterns.empty()) return;
        tests.emplace_back([&patterns, matches](const Frame& frame) {
            return std::any_of(patterns.begin(), patterns.end(),
                               [&](const std::string& pattern) { return matches(pattern, frame); });
        });
    };
    add(filters.modules, matches_module);
    add(filters.functions, matches_function);
    add(filters.files, matches_file);
    if (filters.own) {
        tests.emplace_back([&code](const Frame& frame) { return is_user_code(frame, code); });
    }
    if (filters.python_only) tests.emplace_back(is_python);
    return tests;
}

// Stacks share their outer frames, so a node is looked at once.
class StackTests {
public:
    StackTests(const Symbols& symbols, const std::vector<FrameTest>& tests)
        : symbols_(symbols),
          all_(static_cast<uint8_t>((1u << tests.size()) - 1)),
          of_nodes_(symbols.nodes.size(), unknown) {
        of_frames_.reserve(symbols.frames.size());
        for (const Frame& frame : symbols.frames) {
            uint8_t bits = 0;
            for (size_t i = 0; i < tests.size(); ++i) {
                if (tests[i](frame)) bits |= static_cast<uint8_t>(1u << i);
            }
            of_frames_.push_back(bits);
        }
    }

    bool passes(uint32_t stack) { return all_ == 0 || bits_of(stack) == all_; }

private:
    static constexpr uint8_t unknown = 0xff;

    uint8_t bits_of(uint32_t stack) {
        uint8_t bits = 0;
        path_.clear();
        while (stack != no_stack && stack < of_nodes_.size()) {
            if (of_nodes_[stack] != unknown) {
                bits = of_nodes_[stack];
                break;
            }
            path_.push_back(stack);
            stack = symbols_.nodes.parent(stack);
        }
        for (; !path_.empty(); path_.pop_back()) {
            const uint32_t node = path_.back();
            for (const FrameId id : symbols_.frames_of(node)) bits |= of_frames_[id];
            of_nodes_[node] = bits;
        }
        return bits;
    }

    const Symbols& symbols_;
    uint8_t all_;
    std::vector<uint8_t> of_frames_;  // the tests that each frame passes, one bit each
    std::vector<uint8_t> of_nodes_;   // the same of each node with its callers
    std::vector<uint32_t> path_;
};

// Adds points of several histories: what all held together at the end of each slice.
SiteHistory sum_of(const SiteHistories& histories) {
    std::map<uint32_t, HeldPoint> changes;  // by slice; modulo 2^64
    std::map<uint32_t, BornPoint> born;
    for (const SiteHistory history : histories) {
        HeldPoint before;
        for (const HeldPoint& point : history.held) {
            HeldPoint& change = changes[point.slice];
            change.bytes += point.bytes - before.bytes;
            change.blocks += point.blocks - before.blocks;
            change.allocations += point.allocations - before.allocations;
            change.allocated_bytes += point.allocated_bytes - before.allocated_bytes;
            before = point;
        }
        for (const BornPoint& point : history.born) {
            BornPoint& sum = born[point.slice];
            sum.slice = point.slice;
            sum.bytes += point.bytes;
            sum.blocks += point.blocks;
        }
    }
    SiteHistory result;
    HeldPoint now;
    for (const auto& [slice, change] : changes) {
        now.slice = slice;
        now.bytes += change.bytes;
        now.blocks += change.blocks;
        now.allocations += change.allocations;
        now.allocated_bytes += change.allocated_bytes;
        result.held.push_back(now);
    }
    for (const auto& [slice, point] : born) result.born.push_back(point);
    return result;
}

void reduce(Model& model, Space& space, const std::vector<bool>& passing) {
    keep_sites(model, space, passing);
    space.left_out.clear();
    space.classes.clear();
    space.totals = {};
    for (const Site& site : space.sites) add(space.totals, site.totals);
    space.totals.own_peak_bytes = space.totals.at_peak_bytes;
    if (!space.history.held.empty()) space.history = sum_of(space.histories);
}

}  // namespace

PassingSites find_passing(const Recording& recording, const SiteFilters& filters) {
    StackTests tests(recording.symbols, tests_of(filters, recording.code));
    PassingSites result;
    for (const Space& space : recording.model.spaces) {
        std::vector<bool>& passing = result[space.name];
        for (size_t i = 0; i < space.sites.size(); ++i) {
            const bool is_left_out = i < space.left_out.size() && space.left_out[i];
            passing.push_back(!is_left_out && tests.passes(space.sites[i].stack));
        }
    }
    return result;
}

void apply(Recording& recording, const SiteFilters& filters, const PassingSites& passing) {
    Model& model = recording.model;
    recording.coverage = Coverage{captures_complete(recording), unwind_gaps(recording)};
    FilterInfo info{filters, {}};
    for (Space& space : model.spaces) {
        const Totals whole = space.totals;
        reduce(model, space, passing.at(space.name));
        info.spaces.push_back({space.name, space.is_estimate, whole, space.totals});
    }
    model.filters = std::move(info);
    std::erase_if(model.spaces, [](const Space& space) { return space.sites.empty(); });
    if (model.phases) {
        for (PhaseInfo& phase : model.phases->phases) {
            std::erase_if(phase.spaces, [&](const auto& entry) {
                return find_space(model, entry.first) == nullptr;
            });
        }
    }
    if (filters.python_only) recording.symbols.keep_frames(is_shown_as_python);
}

void apply(Recording& recording, const SiteFilters& filters) {
    if (!filters.empty()) apply(recording, filters, find_passing(recording, filters));
}

}  // namespace memtrace::analyzer
