// SPDX-License-Identifier: Apache-2.0
#include "analyzer/base/json_text.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("what is no UTF-8 is replaced") { CHECK(json_text(Json("a\xe9")) == "\"a\ufffd\""); }

TEST_CASE("members stay in their order, on one line or indented") {
    const Json json{{"b", 1}, {"a", "x"}};
    CHECK(json_text(json) == R"({"b":1,"a":"x"})");
    CHECK(json_text(json, 2) == "{\n  \"b\": 1,\n  \"a\": \"x\"\n}");
}
