// SPDX-License-Identifier: Apache-2.0
#include "analyzer/charts/site_rows.h"

#include "analyzer/model/kept_sites.h"
#include "tests/unit/analyzer/charts/stories.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("site_rows: a site keeps its number when others are left out") {
    Recording recording = watched_story(two_threads);
    REQUIRE(recording.model.spaces[0].sites.size() == 2);
    CHECK(SiteRows(recording).row_of(0, 0).has_value());
    keep_sites(recording.model, recording.model.spaces[0], {false, true});
    const SiteRows rows(recording);
    CHECK_FALSE(rows.row_of(0, 0).has_value());
    CHECK(rows.row_of(0, 1).has_value());
    CHECK_FALSE(rows.row_of(0, 99).has_value());
    CHECK(watch_of(recording, recording.model.spaces[0]) != nullptr);
    recording.model.watch = nullptr;
    CHECK(watch_of(recording, recording.model.spaces[0]) == nullptr);
}
