// SPDX-License-Identifier: Apache-2.0
//
// `oom` lists the last refusal, and all of them if that is requested.
#include "tests/unit/analyzer/commands/requests.h"

using namespace memtrace::analyzer;

TEST_CASE("--all adds the earlier refusals") {
    CHECK_FALSE(request_of({"oom", "a.bin"}).all_refusals);
    CHECK(request_of({"oom", "a.bin", "--all"}).all_refusals);
    CHECK(request_of({"oom", "a.bin", "--top", "3"}).text.top == 3);
}

TEST_CASE("a recording without a refusal has a text and JSON, too") {
    const CommandOutput output = output_of(request_of({"oom", "a.bin"}), training().recording);
    CHECK_FALSE(output.text.empty());
    CHECK_FALSE(output.json.empty());
    CHECK(output.exit_code == exit_fine);
}
