// SPDX-License-Identifier: Apache-2.0
#include "analyzer/page/page_lost.h"

#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;

namespace {

// Two call sites in one line, and a third elsewhere; each has lost what it says.
Story lost_by(std::vector<uint64_t> bytes) {
    Story story;
    const std::vector<uint32_t> stacks{story.stack({"libc:malloc", "make a.cpp:7", "main a.cpp:9"}),
                                       story.stack({"libc:malloc", "make a.cpp:7", "main a.cpp:9"}),
                                       story.stack({"libc:malloc", "other b.cpp:1"})};
    for (size_t i = 0; i < bytes.size(); ++i) {
        story.site("host", stacks[i % stacks.size()], 1, bytes[i], 1);
    }
    Space& host = story.space("host");
    for (size_t i = 0; i < bytes.size(); ++i) {
        Totals of_site = host.sites.totals(i);
        of_site.lost_blocks = 1;
        of_site.lost_bytes = bytes[i];
        host.sites.set_totals(i, of_site);
        host.totals.lost_blocks += 1;
        host.totals.lost_bytes += bytes[i];
    }
    LostSearchInfo search;
    search.stage = LostStage::done;
    search.copies = 1;
    story.recording.model.searches.push_back(search);
    return story;
}

Json json_of(const Story& story) {
    PageNames names(story.recording, {});
    return page_lost_json(story.recording, StackView(story.recording.symbols), names);
}

}  // namespace

TEST_CASE("page lost: call sites of one line are one stack, the largest comes first") {
    const Json json = json_of(lost_by({100, 30, 200}));
    const Json& definitely = json["kinds"][0];
    CHECK(definitely["name"] == "definitely lost");
    CHECK(definitely["blocks"] == 3);
    CHECK(definitely["bytes"] == 330);
    const Json& stacks = definitely["stacks"];
    size_t bytes = 0;
    for (const Json& stack : stacks) bytes += stack["bytes"].get<size_t>();
    CHECK(bytes == 330);
    CHECK(stacks[0]["bytes"] == 200);
    CHECK(definitely["more"]["stacks"] == 0);
    CHECK(json["kinds"][2]["stacks"].empty());
    CHECK(json["text"].get<std::string>().starts_with("A search when the work ended"));
}

TEST_CASE("page lost: without a search there is nothing, and a search that was refused says why") {
    Story story;
    story.site("host", story.stack({"make a.cpp:7"}), 1, 8, 1);
    CHECK(json_of(story).is_null());
    LostSearchInfo refused;
    refused.stage = LostStage::refused;
    refused.text = "No search: of the heap only a sample is recorded.";
    story.recording.model.searches.push_back(refused);
    const Json json = json_of(story);
    CHECK(json["why_not"] == refused.text);
    CHECK(json["text"] == "");
    CHECK(json["kinds"].empty());
}
