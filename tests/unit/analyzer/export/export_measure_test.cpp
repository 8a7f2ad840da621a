// SPDX-License-Identifier: Apache-2.0
#include "analyzer/export/export_measure.h"

#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("export measures are found by the names that are typed") {
    for (const ExportMeasureRow& row : export_measures) {
        CHECK(find_export_measure(row.name) == &row);
    }
    CHECK(find_export_measure("blocks") == nullptr);
    CHECK(find_export_measure("") == nullptr);
}

TEST_CASE("held is what was held when the work ended, if that was another moment than the end") {
    Story story = training();
    const auto held = [&] {
        return measure_of(ExportMeasure::held, story.recording.model, story.space("host"));
    };
    CHECK(held() == Measure::leaked);
    story.recording.model.process.work_end_ns = 5;
    CHECK(held() == Measure::leaked);  // Nothing changed after it.
    story.space("host").totals.held_bytes += 1;
    CHECK(held() == Measure::held);
    story.recording.model.process.work_end_ns.reset();
    CHECK(held() == Measure::leaked);
}
