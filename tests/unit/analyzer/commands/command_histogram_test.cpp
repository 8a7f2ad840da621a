// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/analyzer/commands/requests.h"

using namespace memtrace::analyzer;

TEST_CASE("histogram has all its bars") {
    CHECK(load_options_of({"histogram", "a.bin"}).watch.bars);
    CHECK(request_of({"histogram", "a.bin", "--min", "1K"}).text.min_value == 1024);
    CHECK(is_refused({"histogram", "a.bin", "--top", "3"}));
}
