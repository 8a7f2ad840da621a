// SPDX-License-Identifier: Apache-2.0
//
// `suppressions` prints a text and reads no dump.
#include "tests/unit/analyzer/commands/requests.h"

using namespace memtrace::analyzer;

TEST_CASE("suppressions prints a list that can be read back, and has no JSON") {
    const Request request = request_of({"suppressions"});
    REQUIRE(request.command->print != nullptr);
    const std::string_view text = request.command->print();
    CHECK(parse_suppressions(text, "printed").size() == default_suppressions().size());
    CHECK(is_refused({"suppressions", "--json", "-"}));
}
