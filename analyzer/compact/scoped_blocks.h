// SPDX-License-Identifier: Apache-2.0
//
// The blocks that threads acquired while they said that searches for lost blocks should leave
// theirs out (LostScope).
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <type_traits>
#include <unordered_set>

#include "analyzer/reader/event.h"

namespace memtrace::analyzer {

class ScopedBlocks {
public:
    // Consumes each event of the stream. `lane` is the index of the lane in the dump.
    void see(size_t lane, const Event& event) {
        if (const auto* acquire = std::get_if<Acquire>(&event.record)) {
            if (!disabled_.empty() || !addresses_.empty()) take(lane, acquire->address);
        } else if (const auto* scope = record_if<LostScope>(event)) {
            if (scope->is_disabled != 0) disabled_.insert(lane);
            else disabled_.erase(lane);
        } else if (const auto* end = record_if<ResizeEnd>(event)) {
            take(lane, end->resize.address);
        }
    }

    const std::unordered_set<uint64_t>& addresses() const { return addresses_; }

    // archive.h
    static void state(auto& self, auto& each) { each(self.disabled_, self.addresses_); }

private:
    void take(size_t lane, uint64_t address) {
        if (disabled_.contains(lane)) addresses_.insert(address);
        else addresses_.erase(address);
    }

    std::set<size_t> disabled_;  // lanes
    std::unordered_set<uint64_t> addresses_;
};

}  // namespace memtrace::analyzer
