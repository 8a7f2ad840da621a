// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/measure.h"

#include <array>
#include <bit>
#include <utility>

#include "analyzer/base/saturating.h"

namespace memtrace::analyzer {

std::optional<Measure> find_measure(std::string_view name) {
    static constexpr std::array<std::pair<std::string_view, Measure>, 12> names{{
        {"at-peak", Measure::at_peak},
        {"leaked", Measure::leaked},
        {"allocated", Measure::allocated},
        {"allocations", Measure::allocations},
        {"temporary", Measure::temporary},
        {"own-peak", Measure::own_peak},
        {"held", Measure::held},
        {"definitely-lost", Measure::definitely_lost},
        {"indirectly-lost", Measure::indirectly_lost},
        {"possibly-lost", Measure::possibly_lost},
        {"garbage", Measure::garbage},
        {"lost", Measure::lost},
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
        case Measure::definitely_lost: return totals.lost_bytes;
        case Measure::indirectly_lost: return totals.indirectly_lost_bytes;
        case Measure::possibly_lost: return totals.possibly_lost_bytes;
        case Measure::garbage: return totals.garbage_bytes;
        case Measure::lost: return totals.lost_bytes + totals.indirectly_lost_bytes;
    }
    return 0;
}

uint64_t blocks_of(const Totals& totals, Measure measure) {
    switch (measure) {
        case Measure::at_peak: return totals.at_peak_blocks;
        case Measure::leaked: return totals.live_blocks;
        case Measure::held: return totals.held_blocks;
        case Measure::definitely_lost: return totals.lost_blocks;
        case Measure::indirectly_lost: return totals.indirectly_lost_blocks;
        case Measure::possibly_lost: return totals.possibly_lost_blocks;
        case Measure::garbage: return totals.garbage_blocks;
        case Measure::lost: return totals.lost_blocks + totals.indirectly_lost_blocks;
        default: return totals.allocations;
    }
}

bool add(Totals& sum, const Totals& part) {
    static_assert(sizeof(Totals) % sizeof(uint64_t) == 0);
    using Figures = std::array<uint64_t, sizeof(Totals) / sizeof(uint64_t)>;
    auto sums = std::bit_cast<Figures>(sum);
    const auto parts = std::bit_cast<Figures>(part);
    // Hardly any figure has its highest bit set, and without it no sum overflows. The compiler adds
    // several figures at once then.
    uint64_t any = 0;
    for (size_t i = 0; i < sums.size(); ++i) any |= sums[i] | parts[i];
    bool fits = true;
    if ((any >> 63) == 0) [[likely]] {
        for (size_t i = 0; i < sums.size(); ++i) sums[i] += parts[i];
    } else {
        for (size_t i = 0; i < sums.size(); ++i) fits &= add_saturating(sums[i], parts[i]);
    }
    sum = std::bit_cast<Totals>(sums);
    return fits;
}

}  // namespace memtrace::analyzer
