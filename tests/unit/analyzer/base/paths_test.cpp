// SPDX-License-Identifier: Apache-2.0
#include "analyzer/base/paths.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("paths and build-ids as text") {
    CHECK(base_name("/a/b/libc.so.6") == "libc.so.6");
    CHECK(base_name("libc.so.6") == "libc.so.6");
    CHECK(base_name("") == "");
    CHECK(hex("\x01\xfe") == "01fe");
}
