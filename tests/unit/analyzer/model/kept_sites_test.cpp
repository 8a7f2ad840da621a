// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/kept_sites.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

Totals totals_of(uint64_t bytes) {
    Totals totals;
    totals.allocations = totals.at_peak_blocks = 1;
    totals.at_peak_bytes = bytes;
    return totals;
}

}  // namespace

TEST_CASE("what belongs to a site stays with it when others go") {
    Model model;
    Space& space = model.spaces.emplace_back();
    space.name = "device:3";
    for (uint32_t stack = 10; stack < 14; ++stack) {
        space.sites.push_back({stack, totals_of(stack)});
        space.histories.push_back({{{0, stack, 1, 1}}, {}});
        space.left_out.push_back(stack == 12);
    }
    GpuDeviceInfo device;
    device.device = 3;
    device.at_peak.lent = {{0, 5}, {3, 6}};
    model.gpu.devices.push_back(device);
    GpuRefusal refusal;
    refusal.device = 3;
    model.gpu.refusals.push_back(refusal);
    GpuHolders& holders = model.gpu.holders.emplace();
    holders.device = {{1, 100, 1, 0, 0}, {2, 200, 1, 0, 0}};
    holders.tensors = {{0, 300, 1, 0, 0}};
    holders.tensors_space = "tensors:cuda:3";

    keep_sites(model, space, {false, false, true, true});

    REQUIRE(space.sites.size() == 2);
    CHECK(space.sites[0].stack == 12);
    CHECK(space.histories[1].held[0].bytes == 13);
    CHECK(space.left_out == std::vector<bool>{true, false});
    CHECK(model.gpu.devices[0].at_peak.lent == std::vector<std::pair<uint32_t, uint64_t>>{{1, 6}});
    REQUIRE(holders.device.size() == 1);
    CHECK(holders.device[0].site == 0);
    CHECK(holders.device[0].bytes == 200);
    CHECK(holders.tensors.size() == 1);  // Another space.
}

TEST_CASE("idle sites, and spaces that have no others, are dropped") {
    Model model;
    for (const char* const name : {"host", "mmap"}) {
        Space& space = model.spaces.emplace_back();
        space.name = name;
        space.sites.push_back({1, {}});
    }
    model.spaces[0].sites.push_back({2, totals_of(8)});
    drop_idle_sites(model);
    REQUIRE(model.spaces.size() == 1);
    REQUIRE(model.spaces[0].sites.size() == 1);
    CHECK(model.spaces[0].sites[0].stack == 2);
}
