// SPDX-License-Identifier: Apache-2.0
//
// The findings of `check`, for programs.
#include "analyzer/ci/check_json.h"

#include "analyzer/base/json_text.h"
#include "tests/unit/analyzer/check/checks.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

Json document_of(const CheckResult& result) { return Json::parse("{" + check_json(result) + "}"); }

}  // namespace

TEST_CASE("each limit has its figures, and the sites to blame with what they had") {
    CheckResult result = leaky_change();
    result.suppressions = {{parse_suppressions("leak:x", "s.supp")[0], false, 2, 30}};
    const Json document = document_of(result);
    const Json& first = document["checks"][0];
    CHECK(first["limit"] == "leaked-bytes");
    CHECK(first["space"] == "host");
    CHECK(first["scope"] == "space");
    CHECK(first["measured"] == 400'000);
    CHECK(first["allowed"] == 110'000);
    CHECK(first["passed"] == false);
    CHECK(first["before"]["max"] == 100'000);
    CHECK(first["sites"][0]["site"] == "keep < main");
    CHECK(first["sites"][0]["file"] == "src/train.cpp");
    CHECK(first["sites"][0]["line"] == 17);
    CHECK(first["sites"][0]["before_below"] == 16 << 10);
    CHECK(document["checks"][1]["scope"] == "new site");
    CHECK(document["check"]["passed"] == false);
    CHECK(document["check"]["baseline"] == "base.json");
    CHECK(document["check"]["suppressed_bytes"] == 30);
    CHECK(document["check"]["suppressions"][0]["name"] == "leak:x");
}

TEST_CASE("parts are percent") {
    const Story story = program({{"f", 1}});
    CheckResult result;
    result.limits = check_limits(measured_of(story.recording), nullptr,
                                 {limit_of(Metric::temporary_percent, "12.5%")});
    const Json document = document_of(result);
    CHECK(document["checks"][0]["allowed"] == 12.5);
}

TEST_CASE("the members are indented as a document of theirs") {
    const std::string text = check_json(CheckResult{});
    CHECK(text.starts_with("\"checks\": [],\n  \"check\": {\n    \"passed\": "));
    CHECK(text.ends_with("\n  }"));
}
