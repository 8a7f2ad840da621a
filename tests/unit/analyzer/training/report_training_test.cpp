// SPDX-License-Identifier: Apache-2.0
#include "analyzer/training/report_training.h"

#include "analyzer/training/training_json.h"

#include <nlohmann/json.hpp>

#include "tests/unit/analyzer/training/training_story.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

struct Report {
    explicit Report(const TrainingStory& story) {
        const SiteRows rows(story.recording);
        const TrainingReport training = story.report({"now"});
        write_training(text, story.recording, training, rows, {});
        json = nlohmann::json::parse("{" + training_json(training, rows) + "}");
    }
    std::string text;
    nlohmann::json json;
};

TrainingStory one_step() {
    TrainingStory story;
    story.peak_time_ns = 105;
    story.peak_bytes = 8 << 20;
    story.tensors.runs = {{100, 120}};
    story.life(story.tensor_site({linear_init, main_frame}), 1, at_end, 3 << 20);
    story.life(story.tensor_site({net_forward, main_frame}), 90, 110, 1 << 20);
    story.tensors.marks = {{"now", 95}};
    return story;
}

}  // namespace

TEST_CASE("report_training: kinds first, then the lines that hold them") {
    const Report report(one_step());
    CHECK_THAT(report.text, Contains("What the memory is for: host at its peak"));
    CHECK_THAT(report.text, Contains("in backward pass 1 of 1"));
    CHECK_THAT(report.text,
               Contains("3.0 MiB   37.5 %        1  ████████              parameters"));
    CHECK_THAT(report.text, Contains("4.0 MiB   50.0 %"));  // no tensors
    CHECK_THAT(report.text, Contains("net.py:20"));
    const size_t table = report.text.find("in all"), lines = report.text.find("kept for the backw");
    CHECK(table < lines);
}

TEST_CASE("report_training: the same in JSON, and blocks at a mark") {
    const Report report(one_step());
    const auto& host = report.json["training"]["spaces"][0];
    CHECK(host["tensor_bytes"] == 4 << 20);
    CHECK(host["kinds"][0]["kind"] == "parameter");
    CHECK(host["kinds"][0]["bytes"] == 3 << 20);
    const auto& moment = report.json["moments"][0];
    CHECK(moment["mark"] == "now");
    REQUIRE(moment["blocks"].size() == 2);
    CHECK(moment["blocks"][1]["kind"] == "activation");
    CHECK(moment["blocks"][1]["space"] == "host");
}

TEST_CASE("report_training: a program without tensors is told so") {
    Story story;
    std::string out;
    write_training(out, story.recording, {}, SiteRows(story.recording), {});
    CHECK_THAT(out, Contains("No tensors of PyTorch and no arrays of JAX"));
}

TEST_CASE("report_training: the step and the line of the peak, and what steps hold") {
    TrainingStory story = one_step();
    story.steps = {"train.py:40", {80, 125, 130}, 140, "", false};
    const Report report(story);
    CHECK_THAT(report.text, Contains("in the backward pass of step 1 of 3, at"));
    CHECK_THAT(report.text, Contains("at the ends of steps, the rounds of train.py:40"));
    CHECK_THAT(report.text, Contains("most that tensors held in between"));
    CHECK_THAT(report.text, Contains("No kind grows from the second one to the last one."));
    const auto& host = report.json["training"]["spaces"][0];
    CHECK(report.json["training"]["steps"] == 3);
    CHECK(host["step"] == 1);
    CHECK(host["steps"]["rows"][0]["bytes_at_end"]["parameter"] == 3 << 20);
    CHECK(host["modules"][0]["class"] == "Net");
}
