// SPDX-License-Identifier: Apache-2.0
//
// `host` is of two moments of the whole recording.
#include "tests/unit/analyzer/commands/requests.h"

using namespace memtrace::analyzer;

TEST_CASE("host lists call sites that pin free memory, and takes no range") {
    CHECK(request_of({"host", "a.bin"}).text.top == 10);
    CHECK(request_of({"host", "a.bin", "--top", "3"}).text.top == 3);
    CHECK(is_refused({"host", "a.bin", "--from", "1s"}));
}
