// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/analyzer/commands/requests.h"

using namespace memtrace::analyzer;

TEST_CASE("timeline has one axis, and curves without a common whole") {
    CHECK(load_options_of({"timeline", "a.bin", "--from", "1s"}).watch.curves);
    CHECK(load_options_of({"timeline", "a.bin", "--phase", "step 1..2"}).phases.from == "step 1");
    CHECK(is_refused({"timeline", "a.bin", "--phase", "train"}));
    CHECK(is_refused({"timeline", "a.bin", "--min", "2%"}));
}
