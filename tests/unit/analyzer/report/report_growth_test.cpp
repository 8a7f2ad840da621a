// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/report_growth.h"

#include <nlohmann/json.hpp>

#include "tests/unit/analyzer/growth/growing.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Contains;

namespace {

GrowingStory leaking() {
    GrowingStory story;
    story.keeps({"libc:malloc", "keep src/app.cpp:3", "main src/app.cpp:9"}, 64);
    story.keeps({"libc:malloc", "load src/app.cpp:5", "main src/app.cpp:8"}, 1000, 0, 5);
    return story;
}

std::string text_of(const Recording& recording, const GrowthOptions& options = {}) {
    std::string out;
    write_growth(out, recording, find_growth(recording, options), {});
    return out;
}

}  // namespace

TEST_CASE("growth: leaks first, with their place and why; then what is large and none") {
    const GrowingStory story = leaking();
    const std::string text = text_of(story.recording);
    CHECK_THAT(text, Contains("Growth, judged by 100 steps (\"step #\") up to 1 h 0 min"));
    CHECK_THAT(text, Contains("host: 11.1 KiB held; leaks 64 B a step (64 B to 64 B), 1 block"));
    CHECK_THAT(text, Contains("LEAK  host: 64 B a step"));
    CHECK_THAT(text, Contains("100 blocks of all times stayed"));
    CHECK_THAT(text, Contains("      keep  src/app.cpp:3\n        main  src/app.cpp:9\n"));
    CHECK(text.find("LEAK  host") < text.find("Large, and no leak"));
    CHECK_THAT(text, Contains("warm-up      4.9 KiB  load  src/app.cpp:5"));
}

TEST_CASE("growth: of a long stack the lines of Python are shown, too") {
    std::vector<std::string> stack{"libc:malloc"};
    for (int i = 0; i < 30; ++i) stack.push_back("kernel" + std::to_string(i) + " src/torch.cpp:1");
    stack.push_back("py:train train.py:41");
    stack.push_back("py:<module> train.py:90");
    GrowingStory story;
    story.keeps(stack, 64);
    const std::string text = text_of(story.recording);
    CHECK_THAT(text, Contains("      kernel0  src/torch.cpp:1\n"));
    CHECK_THAT(text, Contains("        ...\n        train.py:41 train\n"
                              "        train.py:90 <module>\n"));
    CHECK_THAT(text, !Contains("kernel20"));
}

TEST_CASE("growth: of many places one's own lines are shown, unless there is only the first") {
    const auto text_of_lines = [](const std::vector<std::string>& callers) {
        GrowingStory story;
        for (const char* operation : {"py:linear", "py:relu", "py:loss"}) {
            const std::string library = std::string(operation) + " /usr/lib/python3/nn.py:4";
            for (const std::string& caller : callers) {
                story.keeps({library, caller, "py:<module> train.py:30"}, 100);
            }
        }
        return text_of(story.recording);
    };
    const std::string several = text_of_lines({"py:forward train.py:20", "py:forward train.py:21"});
    CHECK_THAT(several, Contains("6 call stacks below\n"));
    CHECK_THAT(several, Contains("through these lines of your code\n"
                                 "       50.0 %  train.py:20 forward\n"
                                 "       50.0 %  train.py:21 forward\n"
                                 "      and in the end here\n"));
    const std::string one = text_of_lines({"py:forward train.py:20"});
    CHECK_THAT(one, Contains("3 call stacks below\n"));
    CHECK_THAT(one, !Contains("through these lines"));
}

TEST_CASE("growth: when memory runs out") {
    GrowingStory story = leaking();
    story.recording.model.samples.push_back({0, 1000, 0});
    GrowthOptions options;
    options.memory = 1000 + 6400 * 3 + 2133;
    CHECK_THAT(text_of(story.recording, options),
               Contains("Out of memory of host in about 3 h 20 min at this rate"));
}

TEST_CASE("growth: a run that cannot be judged says why") {
    GrowingStory story = leaking();
    story.recording.model.slices.steps = 3;
    const std::string text = text_of(story.recording);
    CHECK_THAT(text, Contains("Growth was not judged\n  the program did 3 steps only"));
    CHECK(text.find("LEAK") == std::string::npos);
}

TEST_CASE("growth in JSON") {
    const GrowingStory story = leaking();
    const std::string text = "{" + growth_json(story.recording, find_growth(story.recording)) + "}";
    const auto json = nlohmann::json::parse(text)["growth"];
    CHECK(json["unit"] == "step");
    CHECK(json["points"] == 100);
    CHECK(json["not_judged"].is_null());
    const auto& leak = json["findings"][0];
    CHECK(leak["verdict"] == "leak");
    CHECK(leak["bytes_per_step"].get<double>() == Approx(64));
    CHECK(leak["low"].get<double>() <= 64);
    CHECK(leak["held_bytes"] == 6400);
    CHECK(leak["stack"][0]["function"] == "keep");
    CHECK(leak["parts"][0]["stack"][0]["function"] == "malloc");
    CHECK(json["spaces"][0]["verdict"] == "leak");
}
