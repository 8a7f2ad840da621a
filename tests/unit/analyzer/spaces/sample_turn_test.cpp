// SPDX-License-Identifier: Apache-2.0
#include "analyzer/spaces/sample_turn.h"

#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;

namespace {

// A model whose host turned to a sample after 1,000 ns.
Model turned() {
    Model model;
    Space& host = model.spaces.emplace_back();
    host.name = "host";
    host.is_estimate = true;
    host.sample_interval = 4096;
    host.exact_until_ns = 1'000;
    host.estimated_bytes = {50};
    host.totals.allocations = host.totals.temporary = 3;
    host.sites.push_back({1, host.totals, 0});
    return model;
}

Model turned_in(uint64_t begin_ns, uint64_t end_ns) {
    Model model = turned();
    model.phase.emplace().range = AskedRange{"", "", begin_ns, end_ns};
    settle_turn(model);
    return model;
}

}  // namespace

TEST_CASE("the part of a run before the turn is exact", "[sample_turn]") {
    const Model model = turned_in(0, 1'000);
    CHECK_FALSE(model.spaces[0].is_estimate);
    CHECK(model.spaces[0].sample_interval == 0);
    CHECK(model.spaces[0].totals.temporary == 3);
}

TEST_CASE("of a part that ends later, all may be an estimate", "[sample_turn]") {
    const Model model = turned_in(500, 1'001);
    CHECK(model.spaces[0].is_estimate);
    CHECK(model.spaces[0].estimated_bytes.empty());
    CHECK(model.spaces[0].sites[0].totals.temporary == 0);
}

TEST_CASE("of the whole run, the part that is an estimate is known", "[sample_turn]") {
    Model model = turned();
    settle_turn(model);
    CHECK(model.spaces[0].estimated_bytes == std::vector<uint64_t>{50});
    CHECK(model.spaces[0].totals.temporary == 0);
    CHECK(model.spaces[0].sites[0].totals.temporary == 0);
}
