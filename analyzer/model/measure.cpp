// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/measure.h"

#include <array>
#include <utility>

namespace memtrace::analyzer {

std::optional<Measure> find_measure(std::string_view name) {
    static constexpr std::array<std::pair<std::string_view, Measure>, 7> names{{
        {"at-peak", Measure::at_peak},
        {"leaked", Measure::leaked},
        {"allocated", Measure::allocated},
        {"allocations", Measure::allocations},
        {"temporary", Measure::temporary},
        {"own-peak", Measure::own_peak},
        {"held", Measure::held},
    }};
    for (const auto& [known, measure] : names) {
        if (known == name) return measure;
    }
    return std::nullopt;
}

uint64_t value_of(const Totals& totals, Measure measure) {
    switch (measure) {
        case Measure::at_peak: return totals.at_peak_bytes;
        case Measure::leaked: return totals.live_bytes;
        case Measure::allocated: return totals.allocated_bytes;
        case Measure::allocations: return totals.allocations;
        case Measure::temporary: return totals.temporary;
        case Measure::own_peak: return totals.own_peak_bytes;
        case Measure::held: return totals.held_bytes;
    }
    return 0;
}

void add(Totals& sum, const Totals& part) {
    sum.allocations += part.allocations;
    sum.frees += part.frees;
    sum.allocated_bytes += part.allocated_bytes;
    sum.live_blocks += part.live_blocks;
    sum.live_bytes += part.live_bytes;
    sum.at_peak_blocks += part.at_peak_blocks;
    sum.at_peak_bytes += part.at_peak_bytes;
    sum.own_peak_bytes += part.own_peak_bytes;
    sum.temporary += part.temporary;
    sum.held_blocks += part.held_blocks;
    sum.held_bytes += part.held_bytes;
    sum.half_bytes += part.half_bytes;
}

}  // namespace memtrace::analyzer
