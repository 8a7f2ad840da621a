// SPDX-License-Identifier: Apache-2.0
//
// `phases` loads the list of phases, and shows more of them than other lists have rows.
#include "tests/unit/analyzer/commands/requests.h"

using namespace memtrace::analyzer;

TEST_CASE("phases are listed; names that differ in numbers are one phase unless --each is given") {
    const LoadOptions together = load_options_of({"phases", "a.bin"});
    CHECK(together.phases.list);
    CHECK_FALSE(together.phases.each);
    CHECK(load_options_of({"phases", "a.bin", "--each"}).phases.each);
}

TEST_CASE("a table of phases has a hundred rows unless --top is given") {
    CHECK(request_of({"phases", "a.bin"}).text.top == 100);
    CHECK(request_of({"phases", "a.bin", "--top", "3"}).text.top == 3);
}
