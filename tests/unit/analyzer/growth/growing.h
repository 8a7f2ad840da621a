// SPDX-License-Identifier: Apache-2.0
//
// Reports with hand-made histories: call sites that keep or release blocks over 100 steps.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/unit/analyzer/sites/models.h"

namespace memtrace::analyzer {

class GrowingStory : public Story {
public:
    GrowingStory() {
        recording.model.slices.step = "step #";
        recording.model.slices.steps = slices;
        for (uint64_t i = 0; i < slices; ++i) {
            recording.model.slices.slices.push_back({(i + 1) * 36'000'000'000, 1, 100});
        }
    }

    // Adds a block of `bytes` bytes that stays, in each of these steps.
    void keeps(const std::vector<std::string>& functions, uint64_t bytes, uint64_t begin = 0,
               uint64_t end = slices, uint64_t every = 1, const std::string& space = "host") {
        SiteHistory history;
        uint64_t blocks = 0;
        for (uint64_t i = begin; i < end; i += every) {
            blocks += 1;
            history.held.push_back(
                {static_cast<uint32_t>(i), blocks * bytes, blocks, blocks, blocks * bytes});
            history.born.push_back({static_cast<uint32_t>(i), bytes, 1});
        }
        site(space, stack(functions), blocks, bytes, blocks);
        Space& of = this->space(space);
        of.histories.push_back(history);
        add_to(of.history, history);
    }

    // Adds blocks that stay, each in a step and of a size: {{2, 100}, {7, 400}}.
    void takes(const std::vector<std::string>& functions,
               const std::vector<std::pair<uint32_t, uint64_t>>& taken) {
        SiteHistory history;
        uint64_t blocks = 0, bytes = 0;
        for (const auto& [slice, size] : taken) {
            blocks += 1;
            bytes += size;
            history.held.push_back({slice, bytes, blocks, blocks, bytes});
            history.born.push_back({slice, size, 1});
        }
        site("host", stack(functions), blocks, bytes, blocks);
        Space& of = this->space("host");
        of.histories.push_back(history);
        add_to(of.history, history);
    }

    // Samples of the resident set, one a minute for the hour of the run, that end at 1 GiB.
    void resident(uint64_t bytes_a_minute) {
        for (uint64_t i = 0; i <= 60; ++i) {
            recording.model.samples.push_back(
                {i * 60'000'000'000, (1 << 30) - (60 - i) * bytes_a_minute, 0});
        }
    }

    static constexpr uint64_t slices = 100;

private:
    static void add_to(SiteHistory& sum, const SiteHistory& part) {
        std::vector<HeldPoint> held(slices);
        for (const SiteHistory* history : {&std::as_const(sum), &part}) {
            size_t next = 0;
            HeldPoint now;
            for (uint32_t i = 0; i < slices; ++i) {
                for (; next < history->held.size() && history->held[next].slice <= i; ++next) {
                    now = history->held[next];
                }
                held[i].slice = i;
                held[i].bytes += now.bytes;
                held[i].blocks += now.blocks;
                held[i].allocations += now.allocations;
                held[i].allocated_bytes += now.allocated_bytes;
            }
        }
        sum.held = held;
        sum.born.insert(sum.born.end(), part.born.begin(), part.born.end());
    }
};

}  // namespace memtrace::analyzer
