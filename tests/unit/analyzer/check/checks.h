// SPDX-License-Identifier: Apache-2.0
//
// Recordings made by hand, for tests of `check`.
#pragma once

#include <string>
#include <vector>

#include "analyzer/ci/check_sentences.h"
#include "tests/unit/analyzer/sites/models.h"

namespace memtrace::analyzer {

inline Measurements measured_of(const Recording& recording,
                                const std::vector<Suppression>& suppressions = {}) {
    Suppressor suppressor(recording, suppressions, "2026-07-01");
    return measure(recording, suppressor, "/app");
}

// Returns a program of the user in which each function allocates one block of the given bytes and
// keeps it.
inline Story program(const std::vector<std::pair<std::string, uint64_t>>& functions) {
    Story story;
    story.recording.model.process.executable = "/app/train";
    for (const auto& [function, bytes] : functions) {
        const std::vector<std::string> frames{"libc:malloc", function, "main src/train.cpp:90"};
        story.site("host", story.stack(frames), 1, bytes, 1);
    }
    return story;
}

// Releases everything at exit that was held when the work had ended.
inline void give_back_at_exit(Story& story) {
    for (Space& space : story.recording.model.spaces) {
        for (size_t i = 0; i < space.sites.size(); ++i) {
            Totals totals = space.sites.totals(i);
            totals.live_blocks = totals.live_bytes = 0;
            space.sites.set_totals(i, totals);
        }
        space.totals.live_blocks = space.totals.live_bytes = 0;
    }
}

inline Limit limit_of(Metric metric, const std::string& text, Scope scope = Scope::space) {
    return parse_limit(metric, scope, text, "--max");
}

// Returns the result of comparing `now` with `before` by these limits.
inline CheckResult compared(const Story& before, const Story& now,
                            const std::vector<Limit>& limits) {
    CheckResult result;
    Baseline baseline = make_baseline({measured_of(before.recording)}, default_floors());
    baseline.path = "base.json";
    result.baseline = baseline.path;
    result.measured = measured_of(now.recording);
    result.limits = check_limits(result.measured, &baseline, limits);
    result.obstacles = find_obstacles(now.recording, result.measured, &baseline);
    return result;
}

// Returns the result for a change that keeps 300,000 bytes in a new function, at src/train.cpp:17.
inline CheckResult leaky_change() {
    return compared(program({{"load src/load.cpp:7", 100'000}}),
                    program({{"load src/load.cpp:7", 100'000}, {"keep src/train.cpp:17", 300'000}}),
                    {limit_of(Metric::leaked_bytes, "+10%"),
                     limit_of(Metric::leaked_bytes, "64K", Scope::new_site),
                     limit_of(Metric::allocations, "100")});
}

}  // namespace memtrace::analyzer
