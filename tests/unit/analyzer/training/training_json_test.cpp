// SPDX-License-Identifier: Apache-2.0
#include "analyzer/training/training_json.h"

#include "tests/unit/analyzer/training/training_story.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

// A network that goes backward once; most of its activations are of one line.
TrainingStory forward_and_backward() {
    TrainingStory story;
    story.peak_time_ns = 25;
    story.peak_bytes = 1000;
    const uint32_t weight = story.tensor_site({linear_init, net_init, main_frame});
    const uint32_t hidden = story.tensor_site({net_forward, main_frame});
    const uint32_t gradient = story.tensor_site({engine, main_frame});
    story.life(weight, 1, at_end, 300);
    story.life(hidden, 10, 30, 200);
    story.life(gradient, 21, at_end, 300);
    story.tensors.runs = {{20, 30}};
    return story;
}

}  // namespace

TEST_CASE(
    "training_json: the page has the figures of the JSON, and the lines as people read them") {
    const TrainingStory story = forward_and_backward();
    const TrainingReport report = story.report();
    const SiteRows rows(story.recording);
    const Json json = Json::parse("{" + training_json(report, rows) + "}");
    const Json page = training_page_json(report, rows);
    const Json& wanted = json["training"]["spaces"][0];
    const Json& found = page["spaces"][0];
    for (const char* name : {"peak_bytes", "tensor_bytes", "peak_time_ns", "steps", "modules"}) {
        CHECK(found[name] == wanted[name]);
    }
    REQUIRE(found["kinds"].size() == wanted["kinds"].size());
    for (size_t i = 0; i < found["kinds"].size(); ++i) {
        for (const char* name : {"kind", "bytes", "blocks"}) {
            CHECK(found["kinds"][i][name] == wanted["kinds"][i][name]);
        }
        CHECK(found["kinds"][i]["all_lines"] == wanted["kinds"][i]["lines"].size());
        CHECK(found["kinds"][i]["lines"][0]["text"].is_string());
        CHECK_FALSE(wanted["kinds"][i]["lines"][0].contains("text"));
    }
    CHECK(found["modules"][0]["layers"].is_null());
    CHECK(found["part"] == "in backward pass 1 of 1");
    CHECK(page["kinds"].size() == static_cast<size_t>(TrainingKind::count));
}

TEST_CASE("training_json: a page of a program that never goes backward has no training") {
    TrainingStory story = forward_and_backward();
    story.tensors.runs.clear();
    CHECK(training_page_json(story.report(), SiteRows(story.recording)).is_null());
    const TrainingStory nothing;
    CHECK(training_page_json(nothing.report(), SiteRows(nothing.recording)).is_null());
}

TEST_CASE("training_json: a page of arrays has no backward pass, and says what is not known") {
    const TrainingStory story = forward_and_backward();
    TrainingReport report = story.report();
    report.table.runs = 0;
    report.table.is_of_arrays = true;
    report.table.steps = {};
    report.table.steps.why_none = "no loop comes again";
    report.table.arena_bytes = 1 << 20;
    const Json page = training_page_json(report, SiteRows(story.recording));
    CHECK(page["is_of_arrays"] == true);
    REQUIRE(page["limits"].size() == 3);
    CHECK(page["limits"][1] == "Steps: no loop comes again.");
    CHECK(page["limits"][2].get<std::string>().find("1.0 MiB") != std::string::npos);
    CHECK(training_page_json(story.report(), SiteRows(story.recording))["limits"].empty());
}
