// SPDX-License-Identifier: Apache-2.0
//
// The call stacks of a space for exported files: one for each path through the call tree of `tree`,
// with what was allocated at its end. The stacks add up to the space's totals, field by field.
//
// With a least value (--min), a call whose totals are smaller in every exported measure is left
// out. One stack below its caller stands for all such callees:
//
//   main < train < forward       5.0 MiB        main < train < forward           5.0 MiB
//   main < train < log < open      300 B        main < train < [below --min]       312 B
//   main < train < print            12 B
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/export/export_format.h"
#include "analyzer/sites/call_tree.h"

namespace memtrace::analyzer {

inline constexpr FrameId small_frame = no_frame - 1;  // stands for callees that are left out

class ExportStacks {
public:
    // `space` is one of the recording's.
    ExportStacks(const Recording& recording, const Space& space, const TextOptions& options,
                 std::span<const ExportMeasure> measures);

    // Calls each(frames, totals) for each stack with figures. `frames` is a std::span<const
    // FrameId> from the outermost frame to the innermost; it may contain no_frame and small_frame.
    // Stacks with the same callers follow one another.
    template <class Each>
    void each_stack(Each&& each) const {
        struct Step {
            uint32_t call;
            size_t depth;
        };
        std::vector<FrameId> frames;
        std::vector<Step> steps;
        const auto push = [&](const std::vector<uint32_t>& calls, size_t depth) {
            Totals small;
            for (size_t i = calls.size(); i-- > 0;) {
                if (kept_[calls[i]]) steps.push_back({calls[i], depth});
                else add(small, tree_.nodes[calls[i]].totals);
            }
            if (small == Totals{}) return;
            frames.push_back(small_frame);
            each(std::span<const FrameId>(frames), small);
            frames.pop_back();
        };
        push(tree_.roots, 0);
        while (!steps.empty()) {
            const auto [id, depth] = steps.back();
            steps.pop_back();
            const Call& call = tree_.nodes[id];
            frames.resize(depth);
            frames.push_back(call.frame);
            if (!(call.own == Totals{})) each(std::span<const FrameId>(frames), call.own);
            push(call.callees, depth + 1);
        }
    }

private:
    CallTree tree_;
    std::vector<bool> kept_;  // by call
};

// Returns the spaces that the options select. Throws Error if they name a space that the recording
// does not have.
std::vector<const Space*> exported_spaces(const Recording& recording, const TextOptions& options);

}  // namespace memtrace::analyzer
