// SPDX-License-Identifier: Apache-2.0
//
// The middle of a recording, from the histories of its sites.
#include "analyzer/compact/half_of_histories.h"

#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;

namespace {

// Slices end at 10, 20, 30, 40 ns; the recording lasts 38 ns. Site 1 changes in slices 0 and 2.
Model four_slices() {
    Model model;
    model.process.duration_ns = 38;
    for (const uint64_t end : {10, 20, 30, 40}) model.slices.slices.push_back({end});
    Space space;
    space.sites = {{1, {}}, {2, {}}};
    space.histories = {SiteHistory{{{0, 100, 1}, {2, 700, 3}}, {}}, SiteHistory{{{3, 5, 1}}, {}}};
    space.history = {{{0, 100, 1}, {2, 700, 3}, {3, 705, 4}}, {}};
    model.spaces.push_back(space);
    return model;
}

}  // namespace

TEST_CASE("the middle is the end of the nearest slice, and what was held there counts") {
    Model model = four_slices();
    take_half_from_histories(model);
    CHECK(model.process.half_ns == 20);
    const Space& space = model.spaces.front();
    CHECK(space.totals.half_bytes == 100);
    CHECK(space.sites[0].totals.half_bytes == 100);
    CHECK(space.sites[1].totals.half_bytes == 0);
}

TEST_CASE("a middle that the replay has kept stays, and without slices there is none") {
    Model model = four_slices();
    model.process.half_ns = 19;
    model.spaces.front().totals.half_bytes = 42;
    take_half_from_histories(model);
    CHECK(model.process.half_ns == 19);
    CHECK(model.spaces.front().totals.half_bytes == 42);
    Model without;
    take_half_from_histories(without);
    CHECK(without.process.half_ns == 0);
}
