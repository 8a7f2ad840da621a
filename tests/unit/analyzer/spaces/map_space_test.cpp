// SPDX-License-Identifier: Apache-2.0
//
// Stories of mappings.
#include "analyzer/spaces/map_space.h"

#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using namespace memtrace::test;

TEST_CASE("a mapping is freed when its last page is") {
    const Model model = load_story(R"(
        map lane=0 time=10 api=mmap class=anonymous address=0x10000 size=0x4000 stack=1
        unmap lane=0 time=20 api=munmap address=0x11000 size=0x1000
        unmap lane=0 time=30 api=munmap address=0x10000 size=0x1000
    )");
    CHECK(unequal_sums(model).empty());
    CHECK(space_named(model, "host") == nullptr);
    const Space& mmap = *space_named(model, "mmap");
    CHECK(mmap.totals.live_blocks == 1);
    CHECK(mmap.totals.frees == 0);
    CHECK(mmap.totals.live_bytes == 0x2000);
    CHECK(mmap.totals.at_peak_bytes == 0x4000);
    const Model gone = load_story(R"(
        map lane=0 time=10 address=0x10000 size=0x4000 stack=1
        map lane=0 time=11 address=0x14000 size=0x1000 stack=2
        unmap lane=0 time=20 address=0x8000 size=0x20000   # across both and beyond
    )");
    CHECK(space_named(gone, "mmap")->totals.frees == 2);
    CHECK(space_named(gone, "mmap")->totals.live_bytes == 0);
    CHECK(gone.capture.anomalies == 0);
}

TEST_CASE("MAP_FIXED takes what it covers") {
    const Model model = load_story(R"(
        map lane=0 time=10 class=reserved address=0x10000 size=0x10000 stack=1
        map lane=0 time=20 class=anonymous address=0x12000 size=0x2000 stack=2
        map lane=0 time=30 class=file address=0x13000 size=0x1000 stack=3
    )");
    CHECK(unequal_sums(model).empty());
    const Space& mmap = *space_named(model, "mmap");
    CHECK(mmap.totals.live_bytes == 0x10000);
    CHECK(find_site(mmap, 1)->totals.live_bytes == 0xe000);
    CHECK(find_site(mmap, 2)->totals.live_bytes == 0x1000);
    CHECK(mmap.classes.at("reserved").live_bytes == 0xe000);
    CHECK(mmap.classes.at("reserved").own_peak_bytes == 0x10000);
    CHECK(mmap.classes.at("file").live_bytes == 0x1000);
    CHECK(mmap.classes.count("shared") == 0);
    CHECK(mmap.totals.at_peak_bytes == 0x10000);
}

TEST_CASE("mremap moves and grows, and keeps the class") {
    const Model model = load_story(R"(
        map lane=0 time=10 class=shared address=0x10000 size=0x2000 stack=1
    remap lane=0 time=20 duration=20 old_address=0x10000 old_size=0x2000 address=0x50000 size=0x5000
        map lane=1 time=30 class=anonymous address=0x10000 size=0x1000 stack=3
    )");
    CHECK(unequal_sums(model).empty());
    const Space& mmap = *space_named(model, "mmap");
    CHECK(mmap.totals.allocations == 3);
    CHECK(mmap.totals.frees == 1);
    CHECK(mmap.totals.live_bytes == 0x6000);
    CHECK(mmap.classes.at("shared").live_bytes == 0x5000);
    CHECK(model.capture.events == 3);
}

TEST_CASE("mremap of a part splits the mapping") {
    const Model model = load_story(R"(
        map lane=0 time=10 address=0x10000 size=0x4000 stack=1
        remap lane=0 time=20 old_address=0x11000 old_size=0x1000 stack=2 address=0x50000 size=0x1000
    )");
    CHECK(unequal_sums(model).empty());
    const Space& mmap = *space_named(model, "mmap");
    CHECK(mmap.totals.live_blocks == 2);
    CHECK(find_site(mmap, 1)->totals.live_bytes == 0x3000);
    CHECK(find_site(mmap, 2)->totals.live_bytes == 0x1000);
}

TEST_CASE("addresses at the end of the address space do not wrap") {
    const Model model = load_story(R"(
        map lane=0 time=10 address=0xfffffffffffff000 size=0x4000 stack=1
        unmap lane=0 time=20 address=0xffffffffffff0000 size=0xffffffffffffffff
    )");
    CHECK(space_named(model, "mmap")->totals.live_blocks == 0);
}

TEST_CASE("addresses that the driver of a GPU reserves are no memory") {
    const Model model = load_story(R"(
        map lane=0 time=10 class=reserved address=0x100000 size=0x80000 stack=1 purpose=gpu_driver
        map lane=0 time=20 class=shared address=0x120000 size=0x2000 stack=2 purpose=gpu_driver
        map lane=0 time=30 class=reserved address=0x800000 size=0x10000 stack=1 purpose=gpu_driver
        unmap lane=0 time=40 address=0x800000 size=0x10000
    )");
    CHECK(unequal_sums(model).empty());
    const Space& mmap = *space_named(model, "mmap");
    CHECK(mmap.totals.live_bytes == 0x2000);
    CHECK(mmap.totals.allocations == 1);
    CHECK(mmap.classes.at("gpu_driver").own_peak_bytes == 0x2000);
    CHECK(model.gpu.driver_reserved.count == 2);
    CHECK(model.gpu.driver_reserved.live == 1);
    CHECK(model.gpu.driver_reserved.live_bytes == 0x80000 - 0x2000);
    CHECK(model.gpu.driver_reserved.most_bytes == 0x80000 - 0x2000 + 0x10000);
}
