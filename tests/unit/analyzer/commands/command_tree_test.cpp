// SPDX-License-Identifier: Apache-2.0
//
// `tree` has a depth and a least value of its own, and one measure that it refuses.
#include "tests/unit/analyzer/commands/requests.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

TEST_CASE("a tree is deeper than a stack in a list, and leaves out small calls") {
    const Request request = request_of({"tree", "a.bin"});
    CHECK(request.text.depth == 40);
    CHECK(request.text.min_percent == 1);
    CHECK(request.sort == Measure::at_peak);
}

TEST_CASE("peaks of single sites do not add up to a tree") {
    CHECK(is_refused({"tree", "--sort", "own-peak", "a.bin"}));
    CHECK_FALSE(is_refused({"tree", "--sort", "leaked", "a.bin"}));
}

TEST_CASE("the tree is in the text and in the JSON") {
    const CommandOutput output = output_of(request_of({"tree", "a.bin"}), training().recording);
    CHECK_THAT(output.text, Contains("train_step"));
    CHECK_THAT(output.json, Catch::Matchers::StartsWith("\"tree\": ") && Contains("train_step"));
}
