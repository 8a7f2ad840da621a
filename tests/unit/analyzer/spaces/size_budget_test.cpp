// SPDX-License-Identifier: Apache-2.0
//
// Dumps whose sizes do not fit into 64 bits: no sum wraps around, and the damage is said.
#include "analyzer/spaces/size_budget.h"

#include <fmt/format.h>

#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using namespace memtrace::test;
using Catch::Matchers::Contains;

namespace {

// Checks that every sum of the space is the greatest number and that the reader is told.
void check_is_full(const Model& model, const char* name) {
    INFO(name);
    const Space& space = *space_named(model, name);
    CHECK(space.totals.live_bytes == UINT64_MAX);
    CHECK(space.totals.own_peak_bytes == UINT64_MAX);
    CHECK(space.totals.allocated_bytes == UINT64_MAX);
    CHECK(unequal_sums(model).empty());
    CHECK(model.damaged);
    CHECK_THAT(problems_of(model), Contains("more than fits into 64 bits"));
}

}  // namespace

TEST_CASE("the last block gets what is left, and the next ones nothing") {
    SizeBudget budget;
    CHECK(budget.take(UINT64_MAX - 5) == UINT64_MAX - 5);
    CHECK(budget.take(0) == 0);
    CHECK(budget.cut() == 0);
    CHECK(budget.take(7) == 5);
    CHECK(budget.take(7) == 0);
    CHECK(budget.take(0) == 0);
    CHECK(budget.cut() == 2);
}

TEST_CASE("four blocks that would add up to nothing add up to the most there is") {
    for (const uint64_t size : {uint64_t{1} << 62, uint64_t{1} << 63, UINT64_MAX}) {
        std::string story;
        for (int i = 0; i < 4; ++i) {
            story += fmt::format("acquire lane=0 time={} stack={} size={} address={:#x}\n", 10 + i,
                                 i % 2, size, 0x1000 + 16 * i);
        }
        const Model model = load_story(story);
        check_is_full(model, "host");
        CHECK(space_named(model, "host")->totals.live_blocks == 4);
    }
}

TEST_CASE("so do blocks that grew, mappings, and blocks of several spaces") {
    check_is_full(load_story(R"(
        acquire lane=0 time=10 size=0 address=0x1000
        acquire lane=0 time=11 size=0 address=0x2000
        resize lane=0 time=20 duration=1 old_address=0x1000 address=0x1000 size=0x8000000000000000
        resize lane=0 time=30 duration=1 old_address=0x2000 address=0x2000 size=0x8000000000000000
    )"),
                  "host");
    const Model model = load_story(R"(
        map lane=0 time=10 address=0x1000 size=0x8000000000000000
        acquire lane=0 time=11 size=0x8000000000000000 address=0x1000
        acquire lane=0 time=12 size=100 address=0x2000
    )");
    CHECK(model.damaged);
    CHECK(space_named(model, "mmap")->totals.live_bytes == uint64_t{1} << 63);
    CHECK(space_named(model, "host")->totals.live_bytes == (uint64_t{1} << 63) - 1);
}

TEST_CASE("so do objects of which a sample was recorded, at whatever interval") {
    for (const char* interval : {"1000", "0xffffffffffffffff"}) {
        std::string story = fmt::format(
            "python_objects lane=0 time=1 state=whole interval={} why=\"\"\n", interval);
        for (int i = 0; i < 4; ++i) {
            story += fmt::format(
                "acquire lane=0 time={} api=PyObject_Malloc size=0x4000000000000000 "
                "address={:#x}\n",
                10 + i, 0x1000 + 16 * i);
        }
        check_is_full(load_story(story), "python");
    }
}

TEST_CASE("what was allocated in all may not fit though little was alive at a time") {
    std::string story;
    for (int i = 0; i < 5; ++i) {
        story += fmt::format("acquire lane=0 time={} size=0x4000000000000000 address=0x1000\n",
                             10 * i + 10);
        story += fmt::format("release lane=0 time={} address=0x1000\n", 10 * i + 15);
    }
    const Model model = load_story(story);
    CHECK(model.damaged);
    CHECK(space_named(model, "host")->totals.allocated_bytes == UINT64_MAX);
    CHECK(space_named(model, "host")->totals.live_bytes == 0);
    CHECK(space_named(model, "host")->totals.own_peak_bytes == uint64_t{1} << 62);
}

TEST_CASE("the unmapping of an arena of any size takes its objects and no time") {
    const Model model = load_story(R"(
        python_objects lane=0 time=1 state=whole interval=0 why=""
        map lane=0 time=5 address=0 size=0x7fffffffffff0000 purpose=python_arena
        acquire lane=0 time=10 api=PyObject_Malloc size=100 address=0x2000
        unmap lane=0 time=20 address=0 size=0x7fffffffffff0000
    )");
    CHECK(space_named(model, "python")->totals.live_bytes == 0);
}
