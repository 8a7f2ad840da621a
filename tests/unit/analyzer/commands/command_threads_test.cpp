// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/analyzer/commands/requests.h"

using namespace memtrace::analyzer;

TEST_CASE("threads takes a part of the time and of the memory") {
    const LoadOptions options =
        load_options_of({"threads", "a.bin", "--to", "2s", "--thread", "w*"});
    CHECK(options.watch.threads);
    CHECK(options.phases.to == "2s");
    CHECK(request_of({"threads", "a.bin"}).text.top == 20);
}
