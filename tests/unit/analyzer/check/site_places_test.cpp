// SPDX-License-Identifier: Apache-2.0
//
// Which line of a call site has most of a metric. What `check` makes of it: measurements_test.cpp.
#include "analyzer/check/site_places.h"

#include "tests/unit/analyzer/check/checks.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("site_places: stacks of a line count together, for each call site by itself") {
    Story story;
    const uint32_t first = story.stack({"f a.cpp:1", "main a.cpp:9"});
    const uint32_t again = story.stack({"f a.cpp:1", "main a.cpp:10"});
    const uint32_t other = story.stack({"f a.cpp:2", "main a.cpp:9"});
    SourceLocations locations(story.recording, "/app");
    SitePlaces places(locations);
    Totals totals;
    totals.live_bytes = 60;
    places.add(7, first, totals);
    places.add(7, again, totals);
    totals.live_bytes = 100;
    totals.temporary = 1;
    places.add(7, other, totals);
    places.add_rate(3, other, Metric::growth_per_step, 0.5);
    std::vector<SiteKeys::Id> sites;
    places.each_site([&](SiteKeys::Id site, const MetricPlaces& found) {
        sites.push_back(site);
        if (site == 3) {
            CHECK(text_of(found.of(Metric::growth_per_step)) == "a.cpp:2");
            return;
        }
        CHECK(text_of(found.of(Metric::leaked_bytes)) == "a.cpp:1");
        CHECK(text_of(found.of(Metric::temporary_percent)) == "a.cpp:2");
        CHECK(text_of(found.most_held()) == "a.cpp:1");
    });
    CHECK(sites == std::vector<SiteKeys::Id>{3, 7});
}
