// SPDX-License-Identifier: Apache-2.0
#include "preload/recording/ended_lanes.h"

#include <memory>
#include <set>

#include "tests/unit/test.h"

using namespace memtrace::preload;

TEST_CASE("ended lanes are found, each once, wherever the search begins") {
    const auto ended = std::make_unique<EndedLanes>();
    const std::set<uint32_t> lanes{0, 1, 63, 64, 200, 1000};
    for (const uint32_t lane : lanes) ended->add(lane);
    for (int i = 0; i < 20; ++i) {
        std::set<uint32_t> found;
        CHECK_FALSE(ended->find(1001, [&](uint32_t lane) {
            CHECK(found.insert(lane).second);
            return false;
        }));
        CHECK(found == lanes);
    }
    CHECK(ended->has(64));
    ended->remove(64);
    CHECK_FALSE(ended->has(64));
    CHECK(ended->find(1001, [](uint32_t lane) { return lane == 63; }));
    ended->clear();
    CHECK_FALSE(ended->find(1001, [](uint32_t) { return true; }));
    CHECK_FALSE(ended->find(0, [](uint32_t) { return true; }));
}

TEST_CASE("searches begin at different lanes") {
    const auto ended = std::make_unique<EndedLanes>();
    for (uint32_t lane = 0; lane < 640; lane += 64) ended->add(lane);
    std::set<uint32_t> first;
    for (int i = 0; i < 10; ++i) {
        ended->find(640, [&](uint32_t lane) {
            first.insert(lane);
            return true;
        });
    }
    CHECK(first.size() == 10);
}
