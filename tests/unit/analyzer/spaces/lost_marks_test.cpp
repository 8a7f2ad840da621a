// SPDX-License-Identifier: Apache-2.0
//
// Stories of searches for lost blocks.
#include "analyzer/spaces/lost_marks.h"

#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using namespace memtrace::test;
using memtrace::LostStage;

namespace {

const std::string three_blocks = R"(
    acquire lane=0 time=10 api=malloc address=0x1000 size=100 stack=1
    acquire lane=0 time=11 api=malloc address=0x2000 size=20 stack=2
    acquire lane=0 time=12 api=malloc address=0x3000 size=3 stack=2
)";

}  // namespace

TEST_CASE("a search sorts the blocks of each site by what is lost") {
    const Model model = load_story(three_blocks + R"(
        lost_search lane=0 time=20 stage=begun cause=work_end pause=5
        lost_block lane=0 time=30 address=0x1000 kind=definitely
        lost_block lane=0 time=30 address=0x2000 kind=indirectly
        lost_block lane=0 time=30 address=0x3000 kind=possibly
        lost_search lane=0 time=31 stage=done cause=work_end blocks=3 bytes=123 work=7
    )");
    CHECK(unequal_sums(model).empty());
    const Totals& totals = space_named(model, "host")->totals;
    CHECK(totals.lost_blocks == 1);
    CHECK(totals.lost_bytes == 100);
    CHECK(totals.indirectly_lost_bytes == 20);
    CHECK(totals.possibly_lost_bytes == 3);
    REQUIRE(model.searches.size() == 1);
    CHECK(model.searches[0].stage == LostStage::done);
    CHECK(model.searches[0].copies == 1);
    CHECK(model.searches[0].blocks == 3);
    CHECK(model.searches[0].work_ns == 7000);
    CHECK(model.searches[0].later_blocks == 0);
}

TEST_CASE("a block that was freed, or came after the copy, has no verdict") {
    const Model model = load_story(three_blocks + R"(
        lost_search lane=0 time=20 stage=begun
        release lane=0 time=21 api=free address=0x1000
        acquire lane=0 time=22 api=malloc address=0x1000 size=7 stack=3
        lost_block lane=0 time=30 address=0x1000 kind=definitely
        lost_block lane=0 time=30 address=0x2000 kind=definitely
        lost_block lane=0 time=30 address=0x9000 kind=definitely
        lost_search lane=0 time=31 stage=done
        release lane=0 time=40 api=free address=0x2000
    )");
    const Totals& totals = space_named(model, "host")->totals;
    CHECK(totals.lost_blocks == 0);
    CHECK(totals.lost_bytes == 0);
    CHECK(model.searches[0].later_blocks == 1);
    CHECK(model.searches[0].later_bytes == 7);
}

TEST_CASE("the last search that was done counts, and one without an end says nothing") {
    const Model model = load_story(three_blocks + R"(
        lost_search lane=0 time=20 stage=begun
        lost_search lane=0 time=25 stage=begun
        lost_block lane=0 time=30 address=0x1000 kind=definitely
        lost_search lane=0 time=31 stage=done
        lost_search lane=0 time=40 stage=refused text="No search: why."
        lost_search lane=0 time=50 stage=begun
        lost_block lane=0 time=51 address=0x2000 kind=definitely
    )");
    CHECK(space_named(model, "host")->totals.lost_bytes == 100);
    REQUIRE(model.searches.size() == 3);
    CHECK(model.searches[0].copies == 2);
    CHECK(model.searches[1].stage == LostStage::refused);
    CHECK(model.searches[1].text == "No search: why.");
    CHECK(model.searches[2].stage == LostStage::begun);
}

TEST_CASE("garbage of Python counts as it was at the search, though Python frees it at its end") {
    const Model model = load_story(three_blocks + R"(
        lost_search lane=0 time=20 stage=begun
        lost_block lane=0 time=30 address=0x1000 kind=garbage
        lost_block lane=0 time=30 address=0x2000 kind=garbage
        lost_search lane=0 time=31 stage=done blocks=3
        release lane=0 time=40 api=free address=0x1000
    )");
    CHECK(unequal_sums(model).empty());
    const Totals& totals = space_named(model, "host")->totals;
    CHECK(totals.garbage_blocks == 2);
    CHECK(totals.garbage_bytes == 120);
    CHECK(totals.lost_blocks == 0);
    CHECK(model.searches[0].gone_garbage_blocks == 1);
    CHECK(model.searches[0].gone_garbage_bytes == 100);
}
