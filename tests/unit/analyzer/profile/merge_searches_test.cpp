// SPDX-License-Identifier: Apache-2.0
#include "analyzer/profile/merge_searches.h"

#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;

namespace {

LostSearchInfo search_of(uint64_t blocks, uint64_t threads = 0, uint64_t copies = 1) {
    LostSearchInfo search;
    search.stage = LostStage::done;
    search.time_ns = 7;
    search.blocks = blocks;
    search.threads = threads;
    search.copies = copies;
    return search;
}

Recording with(std::vector<LostSearchInfo> searches) {
    Recording recording;
    recording.model.searches = std::move(searches);
    return recording;
}

std::vector<LostSearchInfo> merged(const std::vector<std::pair<Recording, uint64_t>>& parts) {
    SearchSums sums;
    for (const auto& [part, processes] : parts) sums.add(part, processes);
    return sums.finish();
}

}  // namespace

TEST_CASE("searches of processes are one search, of the last that was done in each") {
    const auto searches =
        merged({{with({search_of(9), search_of(5)}), 1}, {with({search_of(3)}), 1}});
    REQUIRE(searches.size() == 1);
    CHECK(searches[0].blocks == 8);
    CHECK(searches[0].processes == 2);
    CHECK(searches[0].time_ns == 0);
}

TEST_CASE("a process that was not searched is said") {
    const Recording searched = with({search_of(5)});
    const auto searches = merged({{searched, 1}, {with({}), 1}});
    REQUIRE(searches.size() == 2);
    CHECK(searches[1].stage == LostStage::refused);
    CHECK(searches[1].text == "1 of 2 recordings was not searched for lost blocks.");
    const auto more = merged({{with(searches), 2}, {searched, 1}, {with({}), 1}});
    REQUIRE(more.size() == 2);
    CHECK(more[0].processes == 2);
    CHECK(more[1].text == "2 of 4 recordings were not searched for lost blocks.");
}

TEST_CASE("a search that failed after the last one is as none, and none at all is nothing") {
    LostSearchInfo failed;
    failed.stage = LostStage::failed;
    CHECK(merged({{with({search_of(5), failed}), 1}, {with({search_of(5)}), 1}})[1].processes == 1);
    CHECK(merged({{with({}), 1}, {with({}), 1}}).empty());
}

TEST_CASE("one look at a process with other threads leaves the sum unsure") {
    const auto copies = [](uint64_t of_second) {
        return merged({{with({search_of(1, 2, 2)}), 1}, {with({search_of(1, 1, of_second)}), 1}})[0]
            .copies;
    };
    CHECK(copies(2) == 2);
    CHECK(copies(1) == 1);
}
