// SPDX-License-Identifier: Apache-2.0
#include "analyzer/base/json_text.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("what is no UTF-8 is replaced") { CHECK(json_text(Json("a\xe9")) == "\"a\ufffd\""); }

TEST_CASE("what a terminal would obey is escaped, and means the same") {
    const std::string name =
        "a\x1b[31m\x7f\xc2\x9b\u202e\u2066\u2028\u061c\u200e z\u00fc\u4e2d\U0001f600";
    const std::string text = json_text(Json(name));
    CHECK(text == R"("a\u001b[31m\u007f\u009b\u202e\u2066\u2028\u061c\u200e z)"
                  "\u00fc\u4e2d\U0001f600\"");
    CHECK(Json::parse(text) == name);
}

TEST_CASE("members stay in their order, on one line or indented") {
    const Json json{{"b", 1}, {"a", "x"}};
    CHECK(json_text(json) == R"({"b":1,"a":"x"})");
    CHECK(json_text(json, 2) == "{\n  \"b\": 1,\n  \"a\": \"x\"\n}");
}
