// SPDX-License-Identifier: Apache-2.0
#include "analyzer/export/export_stacks.h"

#include <map>
#include <string>

#include "analyzer/base/error.h"
#include "tests/unit/analyzer/export/exports.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

constexpr std::array peak{ExportMeasure::peak};

struct Listed {
    std::map<std::string, uint64_t> peaks;  // by the functions of a stack
    Totals sum;
};

Listed list(const Story& story, const TextOptions& options = {}) {
    const Space& space = story.recording.model.spaces[0];
    Listed listed;
    ExportStacks(story.recording, space, options, peak)
        .each_stack([&](std::span<const FrameId> frames, const Totals& totals) {
            std::string text;
            for (const FrameId frame : frames) {
                const bool is_known = frame < story.recording.symbols.frames.size();
                text += "/";
                text += is_known               ? story.recording.symbols.frames[frame].function
                        : frame == small_frame ? "small"
                                               : "none";
            }
            listed.peaks[text] += totals.at_peak_bytes;
            add(listed.sum, totals);
        });
    return listed;
}

// One caller with a large callee and ten small ones.
Story large_and_small() {
    Story story;
    story.site("host", story.stack({"large a.cpp:1", "main a.cpp:9"}), 1, 1000);
    for (int i = 0; i < 10; ++i) {
        story.site("host",
                   story.stack({"leaf a.cpp:5", "small" + std::to_string(i), "main a.cpp:9"}), 1, 3,
                   1);
    }
    story.site("host", story.stack({"other b.cpp:1"}), 1, 2);
    return story;
}

}  // namespace

TEST_CASE("exported stacks: frames from the outermost inwards, libraries left out") {
    const Listed listed = list(training());
    CHECK(listed.peaks.at("/main/train_step()/Model::make_tensor(int)") == 8 * 25 << 20);
    CHECK(listed.peaks.at("/load_batch") == 100'000);
    CHECK(listed.peaks.size() == 3);
    CHECK(listed.sum == training().recording.model.spaces[0].totals);
}

TEST_CASE("exported stacks: --all-frames keeps the libraries") {
    TextOptions options;
    options.all_frames = true;
    const Listed listed = list(training(), options);
    CHECK(listed.peaks.count("/_start/main/train_step()/Model::make_tensor(int)/malloc") == 1);
}

TEST_CASE("exported stacks: a site without a stack is one without names, and counts") {
    Story story = training();
    story.site("host", memtrace::no_stack, 1, 77);
    const Listed listed = list(story);
    CHECK(listed.peaks.at("/none") == 77);
    CHECK(listed.sum == story.recording.model.spaces[0].totals);
}

TEST_CASE("exported stacks: what is below --min is one stack below its caller; sums stay") {
    const Story story = large_and_small();
    TextOptions options;
    options.min_value = 10;
    const Listed listed = list(story, options);
    CHECK(listed.peaks == std::map<std::string, uint64_t>{
                              {"/main/large", 1000}, {"/main/small", 30}, {"/small", 2}});
    CHECK(listed.sum == story.recording.model.spaces[0].totals);
    options.min_value = 0;
    options.min_percent = 50;
    CHECK(list(story, options).peaks == listed.peaks);
    options.min_percent = 100;
    CHECK(list(story, options).peaks == std::map<std::string, uint64_t>{{"/small", 1032}});
}

TEST_CASE("exported stacks: a deep recursion takes no stack of the writer") {
    Story story;
    std::vector<std::string> functions;
    for (int i = 0; i < 20'000; ++i) functions.push_back("f" + std::to_string(i));
    // Story compares frames, so they share a few names.
    for (std::string& name : functions) name = "f" + std::to_string(name.size() % 3);
    story.site("host", story.stack(functions), 1, 9);
    CHECK(list(story).sum.at_peak_bytes == 9);
}

TEST_CASE("exported stacks: a space that is not there is an error with those that are") {
    TextOptions options;
    options.space = "device:7";
    const Story story = training();
    CHECK_THROWS_WITH(exported_spaces(story.recording, options),
                      Contains("device:7") && Contains("host"));
    options.space = "host";
    CHECK(exported_spaces(story.recording, options).size() == 1);
}
