// SPDX-License-Identifier: Apache-2.0
//
// The measures of exported files, under the names that they have on the command line.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "analyzer/model/measure.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

enum class ExportMeasure : uint8_t { peak, held, allocated, calls };

struct ExportMeasureRow {
    ExportMeasure measure;
    std::string_view name;   // as typed
    std::string_view title;  // behind the name of a space: "host, at the peak"
    bool is_bytes;           // else a count
};

inline constexpr auto export_measures = std::to_array<ExportMeasureRow>({
    {ExportMeasure::peak, "peak", "at the peak", true},
    {ExportMeasure::held, "held", "held at the end", true},
    {ExportMeasure::allocated, "allocated", "allocated", true},
    {ExportMeasure::calls, "calls", "calls", false},
});

// Returns nullptr if no measure has the name.
constexpr const ExportMeasureRow* find_export_measure(std::string_view name) {
    for (const ExportMeasureRow& row : export_measures) {
        if (row.name == name) return &row;
    }
    return nullptr;
}

// Returns the figure of a site of `space`. What is held at the end is what reports call HELD.
inline Measure measure_of(ExportMeasure measure, const Model& model, const Space& space) {
    switch (measure) {
        case ExportMeasure::peak: return Measure::at_peak;
        case ExportMeasure::held: return held_measure(model, space);
        case ExportMeasure::allocated: return Measure::allocated;
        case ExportMeasure::calls: break;
    }
    return Measure::allocations;
}

}  // namespace memtrace::analyzer
