// SPDX-License-Identifier: Apache-2.0
#include "analyzer/page/page_share.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

// root ─ 1 ─ 2
//          └ 3
uint32_t parent_of(uint32_t node) {
    constexpr uint32_t parents[] = {0, 0, 1, 1};
    return parents[node];
}

}  // namespace

TEST_CASE("page share: the largest share of any figure counts, with what is below the node") {
    NodeShares shares(4, parent_of);
    shares.add(2, 90);
    shares.add(3, 10);
    shares.finish_figure();
    shares.add(3, 6);
    shares.add(1, 2);
    shares.finish_figure();
    shares.finish_figure();  // Nobody has any of a third one.
    CHECK(shares.shares() == std::vector<float>{1, 1, 0.9F, 0.75F});
}

TEST_CASE("page share: of equal parts the first are kept, so callers stay") {
    CHECK(largest_shares({1, 0.5, 0.5, 0.5}, 2) == std::vector<bool>{true, true, false, false});
    CHECK(largest_shares({0.1F, 0.2F, 0.3F}, 2) == std::vector<bool>{false, true, true});
    CHECK(largest_shares({1}, 5) == std::vector<bool>{true});
    CHECK(largest_shares({}, 5).empty());
}
