// SPDX-License-Identifier: Apache-2.0
//
// The ledgers of a recording: takes the moments of the dump one after another, and keeps the
// ledgers of two.
#pragma once

#include <cstdint>
#include <optional>

#include "analyzer/base/tick_clock.h"
#include "analyzer/ledger/held_memory.h"
#include "analyzer/ledger/host_snapshot.h"

namespace memtrace::analyzer {

class HostMoments {
public:
    void on(const HostMoment& record, uint32_t lane) { collector_.begin(record, lane); }
    void on(const HostRegion& record, uint32_t lane) { collector_.add(record, lane); }
    void on(const HostPages& record, uint32_t lane) { collector_.add(record, lane); }
    void on(const HostRange& record, uint32_t lane) { collector_.add(record, lane); }
    // `held()` must return the HeldMemory of now. It is called only if the moment is whole.
    template <class Held>
    void on(const HostMomentEnd& record, uint32_t lane, Held&& held) {
        if (const std::optional<HostSnapshot> snapshot = collector_.end(record, lane)) {
            add(*snapshot, held());
        }
    }

    // Stacks from `stacks` on are impossible, and become no stack.
    HostInfo finish(const TickClock& clock, uint64_t stacks);

    // archive.h
    static void state(auto& self, auto& each) { each(self.collector_, self.info_); }

private:
    void add(const HostSnapshot& snapshot, HeldMemory held);

    SnapshotCollector collector_;
    HostInfo info_;  // times in ticks
};

}  // namespace memtrace::analyzer
