// SPDX-License-Identifier: Apache-2.0
#include "analyzer/page/page_threads.h"

#include "analyzer/model/kept_sites.h"
#include "tests/unit/analyzer/charts/stories.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;

namespace {

PageThreads threads_of(const Recording& recording) {
    const StackView view(recording.symbols);
    return make_page_threads(
        recording, make_page_stacks(recording, find_own_lines(recording, true), view, 1000));
}

}  // namespace

TEST_CASE("page threads: a site belongs to its only thread, or has shares that add up to it") {
    const PageThreads page = threads_of(watched_story(two_threads));
    REQUIRE(page.names.size() == 2);
    // The thread that held more at the peak comes first.
    const size_t main = page.names[0].tid == 7 ? 0 : 1;
    CHECK(page.names[main].tid == 7);
    CHECK(page.names[main].name == "main");
    CHECK(page.names[1 - main].tid == 8);
    REQUIRE(page.spaces.size() == 1);
    const PageThreadSpace& host = page.spaces[0];
    // Both stacks of the story have no names, so they are one site of the page.
    uint64_t alone = 0, shared = 0, bytes = 0;
    for (const int64_t owner : host.of_sites) (owner >= 0 ? alone : shared) += 1;
    CHECK(alone + shared == host.of_sites.size());
    for (const PageThreadShare& share : host.shares) bytes += share.totals.allocated_bytes;
    if (alone == 0) CHECK(bytes == 158);
    CHECK(shared > 0);
    CHECK(host.shares.size() == 2);
}

TEST_CASE("page threads: many threads have one entry together") {
    std::string story;
    for (int i = 0; i < 60; ++i) {
        const std::string lane = std::to_string(i), time = std::to_string(10 + i);
        story += "thread_start lane=" + lane + " time=1 tid=" + std::to_string(100 + i) + "\n";
        story += "acquire lane=" + lane + " time=" + time +
                 " stack=1 size=" + std::to_string(1000 - i) + " address=0x" + time + "000\n";
    }
    const PageThreads page = threads_of(watched_story(story));
    REQUIRE(page.names.size() == 25);
    CHECK(page.names[0].tid == 100);
    CHECK(page.names[24].count == 36);
    uint64_t bytes = 0;
    for (const PageThreadShare& share : page.spaces[0].shares) bytes += share.totals.live_bytes;
    CHECK(bytes == 60 * 1000 - 59 * 30);
}

TEST_CASE("page threads: those of what filters keep are named") {
    std::string story;
    for (int i = 0; i < 60; ++i) {
        const std::string lane = std::to_string(i), time = std::to_string(10 + i);
        story += "thread_start lane=" + lane + " time=1 tid=" + std::to_string(100 + i) + "\n";
        story += "acquire lane=" + lane + " time=" + time + " stack=" + std::to_string(1 + i) +
                 " size=" + std::to_string(1000 - i) + " address=0x" + time + "000\n";
    }
    Recording recording = watched_story(story);
    Space& host = recording.model.spaces[0];
    std::vector<bool> keep;
    for (const Site& site : host.sites) keep.push_back(site.totals.live_bytes <= 942);
    keep_sites(recording.model, host, keep);
    const PageThreads page = threads_of(recording);
    REQUIRE(page.names.size() == 2);
    CHECK(page.names[0].tid == 158);
    CHECK(page.names[1].tid == 159);
    CHECK(page.names[1].count == 1);
}

TEST_CASE("page threads: without a watch nothing is known") {
    CHECK(threads_of(watched_story(two_threads, {})).names.empty());
}
