// SPDX-License-Identifier: Apache-2.0
#include "analyzer/charts/report_steps.h"

#include <nlohmann/json.hpp>

#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

Recording example() {
    Recording recording;
    SourceLoop epochs;
    epochs.file = "/home/u/train.py";
    epochs.line = 7;
    epochs.function = "main";
    epochs.thread = "MainThread";
    epochs.count = 2;
    epochs.is_own = true;
    SourceLoop steps = epochs;
    steps.line = 9;
    steps.count = 80;
    steps.parent = 0;
    steps.end_ns = 790'000'000;
    SourceLoop unsure = epochs;
    unsure.line = 20;
    unsure.count.reset();
    unsure.why_not = "reasons";
    SourceLoop library = epochs;
    library.is_own = false;
    library.line = 99;
    recording.model.loops.loops = {epochs, steps, unsure, library};
    recording.model.loops.steps = 1;
    return recording;
}

std::string text_of(const Recording& recording) {
    std::string out;
    write_steps(out, recording, {});
    return out;
}

}  // namespace

TEST_CASE("the steps come first, then the loops of the user's own code") {
    const std::string text = text_of(example());
    CHECK_THAT(text, Contains("80 steps of train.py:9, 10 ms each"));
    CHECK_THAT(text, Contains("           2             train.py:7 main"));
    CHECK_THAT(text, Contains("          80      10 ms    train.py:9 main"));
    CHECK_THAT(text, Contains("?"));
    CHECK_THAT(text, Contains("train.py:20 main: reasons"));
    CHECK_THAT(text, !Contains("train.py:99"));
    CHECK_THAT(text, Contains("1 loop in libraries"));
    CHECK(steps_line(example()) == "80 steps of train.py:9, 10 ms each");
}

TEST_CASE("how long a step takes is not told of a loop that several threads run") {
    Recording recording = example();
    recording.model.loops.loops[1].threads = 4;
    CHECK(steps_line(recording) == "80 steps of train.py:9");
}

TEST_CASE("a function of C++ is named shortly, and its thread only if it is not the first") {
    Recording recording = example();
    recording.model.process.pid = 42;
    ThreadInfo first;
    first.tid = 42;
    first.name = "server";
    recording.model.threads = {first};
    SourceLoop& loop = recording.model.loops.loops[0];
    loop.function =
        "net::serve_all(std::__cxx11::basic_string<char, std::char_traits<char>, "
        "std::allocator<char> > const&, net::Options const&)";
    loop.thread = "server";
    recording.model.loops.loops[1].thread = "worker";
    const std::string text = text_of(recording);
    CHECK_THAT(text, Contains("train.py:7 net::serve_all\n"));
    CHECK_THAT(text, Contains("train.py:9 main (worker)\n"));
}

TEST_CASE("a function of Python keeps its whole name, whatever is in angle brackets") {
    Recording recording = example();
    const std::string name = "Trainer.fit_one_epoch_of_all.<locals>.run.<locals>.<listcomp>";
    recording.model.loops.loops[0].function = name;
    CHECK_THAT(text_of(recording), Contains(name + "\n"));
}

TEST_CASE("if there are no steps the reason is said") {
    Recording recording;
    recording.model.loops.why_none = "no loop goes round";
    CHECK_THAT(text_of(recording), Contains("none found: no loop goes round"));
    CHECK(steps_line(recording).empty());
}

TEST_CASE("JSON has all loops, with null for what is not known") {
    const auto json = nlohmann::json::parse("{" + steps_json(example()) + "}");
    REQUIRE(json["steps"].size() == 4);
    CHECK(json["steps"][1]["loop"]["line"] == 9);
    CHECK(json["steps"][1]["count"] == 80);
    CHECK(json["steps"][1]["parent"] == 0);
    CHECK(json["steps"][1]["is_step"] == true);
    CHECK(json["steps"][2]["count"].is_null());
    CHECK(json["steps"][2]["why_not"] == "reasons");
    CHECK(json["steps"][0]["parent"].is_null());
    CHECK(json["no_steps"].is_null());
}

TEST_CASE("a merged profile has steps without loops, or says why it has none") {
    Recording recording;
    recording.merged.processes.resize(2);
    CHECK_THAT(text_of(recording), Contains("none found: a merged profile has no loops"));
    recording.merged.left_out.histories = true;
    CHECK_THAT(text_of(recording), Contains("none found: the recordings that were merged"));
    const auto json = nlohmann::json::parse("{" + steps_json(recording) + "}");
    CHECK(json["no_steps"].is_string());
    recording.merged.left_out.histories = false;
    recording.model.slices.step = "train.py:9";
    recording.model.slices.is_found = true;
    recording.model.slices.steps = 79;
    CHECK_THAT(text_of(recording), Contains("79 whole steps of train.py:9"));
    CHECK(nlohmann::json::parse("{" + steps_json(recording) + "}")["no_steps"].is_null());
}
