// SPDX-License-Identifier: Apache-2.0
//
// The figures by which sites are compared, and sums of all figures.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "analyzer/model/model.h"

namespace memtrace::analyzer {

enum class Measure : uint8_t {
    at_peak,
    leaked,
    allocated,
    allocations,
    temporary,
    own_peak,
    held,
    definitely_lost,
    indirectly_lost,
    possibly_lost,
    garbage,  // LostKind::garbage
    lost      // definitely and indirectly
};

// True if the measure tells what is left of all that was acquired.
constexpr bool is_of_held(Measure measure) {
    return measure == Measure::leaked || measure >= Measure::held;
}

// Finds a measure by its name on the command line: "at-peak", "leaked" and so on.
std::optional<Measure> find_measure(std::string_view name);

uint64_t value_of(const Totals& totals, Measure measure);

// Returns the number of blocks that the measure counts the bytes of; of a measure of all that was
// allocated, the number of allocations.
uint64_t blocks_of(const Totals& totals, Measure measure);

// Adds every figure of `part` to `sum`. Returns false if a sum does not fit into 64 bits and is now
// the greatest number.
bool add(Totals& sum, const Totals& part);

}  // namespace memtrace::analyzer
