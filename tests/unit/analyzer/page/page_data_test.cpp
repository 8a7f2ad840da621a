// SPDX-License-Identifier: Apache-2.0
#include "analyzer/page/page_data.h"

#include "analyzer/base/json_text.h"
#include "tests/unit/analyzer/growth/growing.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

Json data_of(const Recording& recording, const PageOptions& options = {}) {
    const OwnLines lines = find_own_lines(recording, true);
    const StackView view(recording.symbols);
    const PageStacks stacks = make_page_stacks(recording, lines, view, 1000);
    const PageFindings findings{.growth = find_growth(recording)};
    return Json::parse(page_data(recording, stacks, lines, findings, options));
}

uint64_t sum_of(const Json& column) {
    uint64_t sum = 0;
    for (const Json& value : column) sum += value.get<uint64_t>();
    return sum;
}

}  // namespace

TEST_CASE("page data: the columns of the sites add up to the space") {
    const Story story = training();
    const Json json = data_of(story.recording);
    const Json& space = json["spaces"][0];
    CHECK(space["name"] == "host");
    for (const auto& [name, total] : space["totals"].items()) {
        CHECK(sum_of(space["sites"][name]) == total.get<uint64_t>());
    }
    CHECK(json["rows"].size() == 2);
    CHECK(json["rows"][0][0] == "line");
}

TEST_CASE("page data: histories are differences from point to point") {
    GrowingStory story;
    story.keeps({"keep a.cpp:1", "main a.cpp:9"}, 100, 10, 13);
    const Json json = data_of(story.recording);
    CHECK(json["spaces"][0]["sites"]["history"][0] ==
          Json({10, 100, 1, 1, 100, 1, 100, 1, 1, 100, 1, 100, 1, 1, 100}));
}

TEST_CASE("page data: hostile names stay text") {
    Story story;
    story.recording.model.process.command = {"\xff\xfe</script><img src=x onerror=alert(1)>"};
    story.site("host", story.stack({"</script>\n\x1b[31m\"'& a<b>.cpp:3"}), 1, 10);
    const Json json = data_of(story.recording);
    CHECK(json["program"]["command"].get<std::string>().find("\xef\xbf\xbd") == 0);
}

TEST_CASE("page data: a recording without memory") {
    const Story story;
    const Json json = data_of(story.recording);
    CHECK(json["spaces"].empty());
    CHECK(json["ledgers"]["host_ledger"]["peak"].is_null());
}
