// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/report_lost.h"

#include "analyzer/report/report_leaks.h"
#include "analyzer/report/report_summary.h"
#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using Catch::Contains;

namespace {

// Of ten blocks, two are lost, one is lost with them and one possibly.
Story searched() {
    Story story;
    story.site("host", story.stack({"libc:malloc", "make src/train.cpp:7"}), 10, 100, 10);
    Space& host = story.space("host");
    Totals of_site = host.sites.totals(0);
    for (Totals* totals : {&host.totals, &of_site}) {
        totals->lost_blocks = 2;
        totals->lost_bytes = 200;
        totals->indirectly_lost_blocks = totals->possibly_lost_blocks = 1;
        totals->indirectly_lost_bytes = totals->possibly_lost_bytes = 100;
    }
    host.sites.set_totals(0, of_site);
    LostSearchInfo search;
    search.stage = LostStage::done;
    search.copies = 1;
    search.time_ns = 2'000'000'000;
    search.pause_ns = 3'000'000;
    search.blocks = 9;
    search.bytes = 900;
    search.later_blocks = 1;
    search.later_bytes = 100;
    story.recording.model.searches.push_back(search);
    return story;
}

std::string leaks_of(const Story& story, bool lost_only) {
    std::string text;
    TextOptions options;
    options.lost_only = lost_only;
    options.width = 200;
    write_leaks(text, story.recording, options);
    return text;
}

}  // namespace

TEST_CASE("leaks begin with what is lost, by kind and by call site") {
    const std::string text = leaks_of(searched(), false);
    CHECK_THAT(text, Contains("Lost blocks: 300 B in 3 blocks"));
    CHECK_THAT(text, Contains("definitely lost       200 B in 2 blocks          nothing points"));
    CHECK_THAT(text, Contains("possibly lost         100 B in 1 block "));
    CHECK_THAT(text, Contains("still reachable       500 B in 5 blocks"));
    CHECK_THAT(text, Contains("not searched          100 B in 1 block           acquired after"));
    CHECK_THAT(text, Contains("The program stood still for 3 ms."));
    CHECK_THAT(text, Contains("Definitely lost: 200 B in 2 blocks"));
    CHECK_THAT(text, Contains("Possibly lost: 100 B in 1 block"));
    CHECK_THAT(text, Contains("Still allocated at the end in host"));
}

TEST_CASE("--lost shows what is lost and nothing else") {
    const std::string text = leaks_of(searched(), true);
    CHECK_THAT(text, Contains("Definitely lost: 200 B in 2 blocks"));
    CHECK_THAT(text, Contains("Indirectly lost: 100 B in 1 block"));
    CHECK_THAT(text, !Contains("Possibly lost: "));
    CHECK_THAT(text, !Contains("Still allocated"));
}

TEST_CASE("a search that saw other threads once calls nothing definitely lost, and says why") {
    Story story = searched();
    story.recording.model.searches[0].threads = 3;
    CHECK_THAT(leaks_of(story, true), Contains("3 other threads were alive, whose registers"));
    story.recording.model.searches[0].copies = 2;
    CHECK_THAT(leaks_of(story, true), Contains("3 other threads were alive, so it looked twice"));
}

TEST_CASE("a search that was not possible says why, also after one that was") {
    Story story = searched();
    LostSearchInfo refused;
    refused.stage = LostStage::refused;
    refused.text = "No search: there was a reason.";
    story.recording.model.searches.push_back(refused);
    const std::string text = leaks_of(story, false);
    CHECK_THAT(text, Contains("No search: there was a reason."));
    CHECK_THAT(text, Contains("Definitely lost: 200 B in 2 blocks"));
    story.recording.model.searches.erase(story.recording.model.searches.begin());
    CHECK_THAT(leaks_of(story, false), !Contains("definitely lost"));
}

TEST_CASE("a search that was wanted and never came is not replaced by an earlier one") {
    Story story = searched();
    Model& model = story.recording.model;
    model.searches[0].cause = LostCause::program;
    model.options["lost"] = "exit";
    model.process.end = "exit 0";
    CHECK_THAT(leaks_of(story, true), Contains("at the end of the work was not done: with"));
    model.process.end = "unknown";
    CHECK_THAT(why_not_searched(model), Contains("the dump has no end: the program was killed"));
    model.searches[0].cause = LostCause::work_end;
    CHECK(why_not_searched(model).empty());
    model.searches.clear();
    model.options["lost"] = "10s";
    CHECK_THAT(why_not_searched(model), Contains("with lost=10s one comes with the first call"));
}

TEST_CASE("the summary has one line about it, and none without a search") {
    std::string text;
    write_summary(text, searched().recording, {});
    CHECK_THAT(text, Contains("Lost blocks: definitely 200 B in 2 blocks, indirectly 100 B in 1 "
                              "block, possibly 100 B in 1 block"));
    text.clear();
    Story story = searched();
    story.recording.model.searches.clear();
    write_summary(text, story.recording, {});
    CHECK_THAT(text, !Contains("Lost blocks"));
}

TEST_CASE("JSON has the sums of each kind and all searches") {
    const Json json = lost_json(searched().recording.model);
    CHECK(json["definitely"] == Json{{"blocks", 2}, {"bytes", 200}});
    CHECK(json["indirectly"] == Json{{"blocks", 1}, {"bytes", 100}});
    CHECK(json["possibly"] == Json{{"blocks", 1}, {"bytes", 100}});
    CHECK(json["reachable"] == Json{{"blocks", 5}, {"bytes", 500}});
    CHECK(json["searches"][0]["state"] == "done");
    CHECK(json["searches"][0]["pause_ns"] == 3'000'000);
    Story story;
    CHECK(lost_json(story.recording.model).is_null());
}
