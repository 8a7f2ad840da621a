// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/measure.h"

#include <array>
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

namespace {

constexpr auto figures = std::to_array<uint64_t Totals::*>({&Totals::allocations,
                                                            &Totals::frees,
                                                            &Totals::allocated_bytes,
                                                            &Totals::live_blocks,
                                                            &Totals::live_bytes,
                                                            &Totals::at_peak_blocks,
                                                            &Totals::at_peak_bytes,
                                                            &Totals::own_peak_bytes,
                                                            &Totals::temporary,
                                                            &Totals::held_blocks,
                                                            &Totals::held_bytes,
                                                            &Totals::half_bytes,
                                                            &Totals::lost_blocks,
                                                            &Totals::lost_bytes,
                                                            &Totals::indirectly_lost_blocks,
                                                            &Totals::indirectly_lost_bytes,
                                                            &Totals::possibly_lost_blocks,
                                                            &Totals::possibly_lost_bytes,
                                                            &Totals::garbage_blocks,
                                                            &Totals::garbage_bytes});
static_assert(sizeof(Totals) == figures.size() * sizeof(uint64_t));

// Without a loop, because reports do this for every site again and again.
template <size_t... index>
bool add_all(Totals& sum, const Totals& part, std::index_sequence<index...>) {
    // Not &&: a sum that overflows must not leave out those behind it.
    return (unsigned{add_saturating(sum.*figures[index], part.*figures[index])} & ...) != 0;
}

}  // namespace

bool add(Totals& sum, const Totals& part) {
    return add_all(sum, part, std::make_index_sequence<figures.size()>());
}

}  // namespace memtrace::analyzer
