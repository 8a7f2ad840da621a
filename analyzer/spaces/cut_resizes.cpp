// SPDX-License-Identifier: Apache-2.0
#include "analyzer/spaces/cut_resizes.h"

#include <algorithm>

#include <fmt/format.h>

#include "analyzer/base/units.h"

namespace memtrace::analyzer {

void CutResizes::acquired_while_live(uint32_t lane, uint64_t time, uint64_t number) {
    waits_ = true;
    acquisitions_.push_back({event_, time, number, lane});
    if (acquisitions_.size() > acquisitions_max) acquisitions_.erase(acquisitions_.begin());
}

void CutResizes::explain(const TickClock& clock, uint64_t end, const std::vector<bool>& is_alive,
                         Capture& capture, Problems& problems) const {
    const uint64_t end_ns = clock.ns(end);
    std::vector<bool> is_used(is_alive.size(), false);
    std::vector<uint64_t> explained;  // numbers
    for (const Acquisition& acquisition : acquisitions_) {
        if (clock.ns(acquisition.time) + longest_ns < end_ns) continue;
        for (uint32_t lane = 0; lane < is_alive.size(); ++lane) {
            const uint64_t last = lane < last_.size() ? last_[lane] : 0;
            if (is_used[lane] || lane == acquisition.lane || last > acquisition.event ||
                !is_alive[lane]) {
                continue;
            }
            is_used[lane] = true;
            explained.push_back(acquisition.number);
            break;
        }
    }
    if (explained.empty()) return;
    capture.anomalies -= explained.size();
    auto& list = capture.first_anomalies;
    for (auto number = explained.rbegin(); number != explained.rend(); ++number) {
        if (*number <= list.size()) list.erase(list.begin() + static_cast<ptrdiff_t>(*number - 1));
    }
    problems.remark("end", fmt::format("The process ended while {} had been done and not been "
                                       "written; the old block counts as freed, and the new one "
                                       "is missing.",
                                       counted(explained.size(), "realloc")));
}

}  // namespace memtrace::analyzer
