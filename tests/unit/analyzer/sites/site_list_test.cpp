// SPDX-License-Identifier: Apache-2.0
#include "analyzer/sites/site_list.h"

#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

// Ten callers, each with three leaves: thirty sites of three frames.
Story thirty_sites() {
    Story story;
    for (int caller = 0; caller < 10; ++caller) {
        for (int leaf = 0; leaf < 3; ++leaf) {
            story.site("host",
                       story.stack({"leaf" + std::to_string(leaf), "helper",
                                    "caller" + std::to_string(caller)}),
                       2, 100, 1);
        }
    }
    return story;
}

Totals sum_of(const SiteList& list) {
    Totals sum;
    for (const ListedSite& site : list.sites) {
        sum.allocations += site.totals.allocations;
        sum.live_bytes += site.totals.live_bytes;
        sum.at_peak_bytes += site.totals.at_peak_bytes;
    }
    return sum;
}

}  // namespace

TEST_CASE("sites that fit are listed with their whole stacks") {
    const Story story = thirty_sites();
    const Space& host = story.recording.model.spaces[0];
    const SiteList list = list_sites(host.sites, StackView(story.recording.symbols), 90);
    CHECK(list.depth == 0);
    CHECK(list.sites.size() == 30);
}

TEST_CASE("sites that do not fit are merged by their innermost frames, and sums stay") {
    const Story story = thirty_sites();
    const Space& host = story.recording.model.spaces[0];
    const SiteList list = list_sites(host.sites, StackView(story.recording.symbols), 89);
    CHECK(list.depth == 2);
    CHECK(list.sites.size() == 3);
    CHECK(list.sites[0].sites == 10);
    CHECK(sum_of(list).allocations == host.totals.allocations);
    CHECK(sum_of(list).live_bytes == host.totals.live_bytes);
    CHECK(sum_of(list).at_peak_bytes == host.totals.at_peak_bytes);
}

TEST_CASE("sites that went backward for different lines stay apart, however short their stacks") {
    Story story;
    for (int line = 1; line <= 3; ++line) {
        const uint32_t forward = story.stack({"py:f net.py:" + std::to_string(line)});
        const uint32_t engine = story.stack({"evaluate_function", "execute", "main"});
        story.site("host",
                   story.backward({"malloc", "at::mm", "apply"}, "MmBackward0",
                                  "py:f net.py:" + std::to_string(line), forward, engine),
                   1, 10);
    }
    const StackView view(story.recording.symbols);
    const SiteList list = list_sites(story.recording.model.spaces[0].sites, view, 3);
    CHECK(list.depth == 1);
    CHECK(list.sites.size() == 3);
}
