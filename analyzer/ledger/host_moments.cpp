// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ledger/host_moments.h"

#include <algorithm>
#include <utility>

#include "analyzer/ledger/host_ledger.h"

namespace memtrace::analyzer {

void HostMoments::add(const HostSnapshot& snapshot, HeldMemory held) {
    info_.moments += 1;
    info_.duration_ns += snapshot.end.duration;
    info_.highest = std::max(info_.highest, snapshot.moment.highest);
    HostLedger ledger = make_host_ledger(snapshot, std::move(held));
    const bool was_at_work = !info_.at_end || info_.at_end->occasion != HostOccasion::work_end;
    if (was_at_work) info_.at_end = ledger;
    if (!info_.at_peak || ledger.resident > info_.at_peak->resident) {
        info_.at_peak = std::move(ledger);
    }
}

HostInfo HostMoments::finish(const TickClock& clock, uint64_t stacks) {
    info_.duration_ns = clock.ns(info_.duration_ns) - clock.ns(0);
    for (std::optional<HostLedger>* ledger : {&info_.at_peak, &info_.at_end}) {
        if (!*ledger) continue;
        (*ledger)->time_ns = clock.ns((*ledger)->time_ns);
        for (HostPin& pin : (*ledger)->pins) {
            if (pin.stack >= stacks) pin.stack = no_stack;
        }
        for (HostUntouched& one : (*ledger)->untouched) {
            if (one.stack >= stacks) one.stack = no_stack;
        }
    }
    return std::move(info_);
}

}  // namespace memtrace::analyzer
