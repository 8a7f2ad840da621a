// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/report_growth.h"

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
    CHECK_THAT(text, Contains("LEAK  keep  src/app.cpp:3\n"));
    CHECK_THAT(text, Contains("    host: 64 B a step (64 B to 64 B), 1 block; "));
    CHECK_THAT(text, Contains("100 blocks of all times stayed"));
    CHECK_THAT(text, Contains("      keep  src/app.cpp:3\n        main  src/app.cpp:9\n"));
    CHECK(text.find("LEAK  keep") < text.find("host: 11.1 KiB held"));
    CHECK(text.find("host: 11.1 KiB held") < text.find("Large, and no leak"));
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

TEST_CASE("growth: shares are of all places, also below a recursion") {
    const auto recursion = [](GrowingStory& story, const char* leaf, uint64_t bytes) {
        for (int depth = 1; depth <= 20; ++depth) {
            std::vector<std::string> stack{"libc:malloc", leaf};
            stack.insert(stack.end(), depth, "visit src/tree.cpp:8");
            stack.push_back("main src/app.cpp:9");
            story.keeps(stack, bytes);
        }
    };
    GrowingStory one;
    recursion(one, "leaf src/tree.cpp:3", 100);
    CHECK_THAT(text_of(one.recording), Contains("20 call stacks below\n"));
    CHECK_THAT(text_of(one.recording), !Contains(" %  leaf"));  // It was named above.
    GrowingStory two;
    recursion(two, "visit src/tree.cpp:3", 300);
    recursion(two, "visit src/tree.cpp:4", 100);
    const std::string text = text_of(two.recording);
    CHECK_THAT(text, Contains("75.0 %  visit  src/tree.cpp:3\n"));
    CHECK_THAT(text, Contains("25.0 %  visit  src/tree.cpp:4\n"));
}

TEST_CASE("growth: what of many lines and places is not shown is counted") {
    GrowingStory story;
    for (int line = 1; line <= 8; ++line) {
        story.keeps({"py:parse /usr/lib/python3/json.py:" + std::to_string(line),
                     "py:load train.py:" + std::to_string(line), "py:<module> train.py:30"},
                    100);
    }
    const std::string text = text_of(story.recording);
    CHECK_THAT(text, Contains("3 lines more\n      and in the end here\n"));
    CHECK_THAT(text, Contains("3 places more\n"));
}

TEST_CASE("growth: when memory runs out") {
    GrowingStory story = leaking();
    story.resident(1 << 20);
    GrowthOptions options;
    options.memory = (1 << 30) + (200 << 20);
    CHECK_THAT(text_of(story.recording, options),
               Contains("resident: 1.0 GiB, grows by 60.0 MiB an hour; 200.0 MiB of 1.2 GiB are "
                        "left: about 3 h 20 min"));
}

TEST_CASE("growth: blocks that pin a large part of the resident set are named") {
    GrowingStory story = leaking();
    HostLedger ledger;
    ledger.resident = 100 << 20;
    ledger.pinned = 60 << 20;
    ledger.pins.push_back({story.stack({"libc:malloc", "keep src/app.cpp:3", "main src/app.cpp:9"}),
                           2000, 64000, 60 << 20});
    story.recording.model.host.at_end = ledger;
    CHECK_THAT(text_of(story.recording), Contains("60.0 MiB of 100.0 MiB resident are free parts"));
    CHECK_THAT(text_of(story.recording), Contains("2,000 blocks (62.5 KiB) of\n    keep  src/app"));
    story.recording.model.host.at_end->pinned = 9 << 20;
    CHECK_THAT(text_of(story.recording), !Contains("free parts"));
}

TEST_CASE("growth: a run that cannot be judged says why") {
    GrowingStory story = leaking();
    story.recording.model.slices.steps = 3;
    const std::string text = text_of(story.recording);
    CHECK_THAT(text, Contains("Growth was not judged\n  the program did 3 steps only"));
    CHECK(text.find("LEAK") == std::string::npos);
}

TEST_CASE("growth: what was left out at the end only released memory") {
    GrowingStory story = leaking();
    story.recording.model.slices.is_trimmed = true;
    CHECK_THAT(text_of(story.recording), Contains(", after which it only released memory\n"));
}
