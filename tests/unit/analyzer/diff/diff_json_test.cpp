// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diff/diff_json.h"

#include <map>

#include "analyzer/base/json_text.h"
#include "tests/unit/analyzer/diff/diffs.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

Json json_of(const Diff& diff) {
    std::string text;
    write_diff_json(diff, [&](std::string_view piece) { text += piece; });
    return Json::parse(text);
}

}  // namespace

TEST_CASE("diff JSON: totals of both, and each line and call site with both figures") {
    Story before = training(), after = training();
    after.site("host", after.stack({"py:log /src/a.py:18"}), 5, 1000, 5);
    before.site("host", before.stack({"py:old /src/a.py:2"}), 1, 10);
    const Json json = json_of(diff_of(before, after));
    CHECK(json["differs"] == true);
    CHECK(json["same_program"] == true);
    CHECK(json["before"]["dump"] == "dump.bin");
    CHECK(json["before"]["steps"].is_null());
    const Json& host = json["spaces"]["host"];
    CHECK(host["change"]["at_peak_bytes"] == 4990);
    CHECK(host["change"]["held_blocks"] == 5);
    for (const char* const list : {"own_lines", "sites"}) {
        int64_t sum = 0;
        std::map<std::string, int> statuses;
        for (const Json& entry : json[list]) {
            const auto value = [&](const char* side) {
                return entry[side].is_null() ? 0 : entry[side]["at_peak_bytes"].get<int64_t>();
            };
            sum += value("after") - value("before");
            statuses[entry["status"]] += 1;
        }
        CHECK(sum == 4990);
        CHECK(statuses["new"] == 1);
        CHECK(statuses["gone"] == 1);
        CHECK(statuses["changed"] == 0);
    }
}

TEST_CASE("diff JSON: a recording and itself") {
    const Story story = python_training();
    const Json json = json_of(diff_of(story, story));
    CHECK(json["differs"] == false);
    for (const Json& site : json["sites"]) CHECK(site["status"] == "same");
}

TEST_CASE("diff JSON: recordings without memory are a document, too") {
    const Json json = json_of(diff_of(Story(), Story()));
    CHECK(json["sites"].empty());
    CHECK(json["spaces"].is_object());
}
