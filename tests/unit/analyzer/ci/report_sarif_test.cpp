// SPDX-License-Identifier: Apache-2.0
//
// SARIF: rules, results and places. tests/e2e checks whole files against the schema.
#include "analyzer/ci/report_sarif.h"

#include "analyzer/base/json_text.h"
#include "tests/unit/analyzer/check/checks.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

Json run_of(const CheckResult& result) {
    return Json::parse(sarif_text({{"dump.bin", result}})).at("runs").at(0);
}

}  // namespace

TEST_CASE("each site to blame is a result of its rule, at its line") {
    const Json run = run_of(leaky_change());
    CHECK(run["tool"]["driver"]["rules"].size() == 3);
    REQUIRE(run["results"].size() == 2);
    const Json& result = run["results"][0];
    CHECK(result["ruleId"] == "memtrace/leaked-bytes");
    CHECK(result["level"] == "error");
    const Json& place = result["locations"][0]["physicalLocation"];
    CHECK(place["artifactLocation"]["uri"] == "src/train.cpp");
    CHECK(place["region"]["startLine"] == 17);
    CHECK(result["baselineState"] == "new");
    CHECK(run["results"][1]["ruleId"] == "memtrace/leaked-bytes-of-new-site");
    CHECK(run["invocations"][0]["executionSuccessful"] == true);
}

TEST_CASE("the same site has the same fingerprint, another one has another") {
    const Json first = run_of(leaky_change()), second = run_of(leaky_change());
    CHECK(first["results"][0]["partialFingerprints"] ==
          second["results"][0]["partialFingerprints"]);
    CHECK(first["results"][0]["partialFingerprints"] != first["results"][1]["partialFingerprints"]);
}

TEST_CASE("a limit that no site is to blame for has a result, and an obstacle a notification") {
    CheckResult result;
    LimitResult limit;
    limit.passed = false;
    result.limits = {limit};
    result.obstacles = {"The dump is damaged."};
    const Json run = run_of(result);
    CHECK(run["results"].size() == 1);
    CHECK(run["invocations"][0]["executionSuccessful"] == false);
    CHECK(run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"] ==
          "The dump is damaged.");
}

TEST_CASE("a dump that cannot be read is a notification, and the run did not succeed") {
    const std::string text = sarif_text({{"b.bin", {}, "b.bin is not a dump."}});
    const Json run = Json::parse(text).at("runs").at(0);
    CHECK(run["results"].empty());
    const Json& invocation = run["invocations"][0];
    CHECK(invocation["executionSuccessful"] == false);
    REQUIRE(invocation["toolExecutionNotifications"].size() == 1);
    CHECK(invocation["toolExecutionNotifications"][0]["level"] == "error");
    CHECK(invocation["toolExecutionNotifications"][0]["message"]["text"] == "b.bin is not a dump.");
}

TEST_CASE("a path is a URI") {
    CHECK(uri_of("src/my file#1.py") == "src/my%20file%231.py");
    CHECK(uri_of("src/\xc3\xa4.py") == "src/%C3%A4.py");
}
