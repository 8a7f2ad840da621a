// SPDX-License-Identifier: Apache-2.0
#include "analyzer/training/training_modules.h"

#include "tests/unit/analyzer/training/training_story.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

const std::string linear_forward = "py:Linear.forward " + torch_path + "/nn/modules/linear.py:134";
const std::string attention = "py:Attention.forward /home/me/net.py:30";

std::string class_of(const TrainingStory& story, uint32_t site) {
    const TrainingModules modules(story.recording.model, story.recording.symbols);
    const auto found = modules.of(0, site);
    return found ? modules.classes()[*found].name : "";
}

}  // namespace

TEST_CASE("training_modules: the innermost module with others inside") {
    TrainingStory story;
    const uint32_t inside = story.tensor_site({linear_forward, attention, net_forward, main_frame});
    const uint32_t own = story.tensor_site({attention, net_forward, main_frame});
    const uint32_t made = story.tensor_site({linear_init, net_init, main_frame});
    const uint32_t alone = story.tensor_site({linear_init, main_frame});
    const uint32_t none = story.tensor_site({main_frame});
    CHECK(class_of(story, inside) == "Attention");
    CHECK(class_of(story, own) == "Attention");
    CHECK(class_of(story, made) == "Net");
    CHECK(class_of(story, alone) == "Linear");
    CHECK(class_of(story, none).empty());
}

TEST_CASE("training_modules: what goes backward belongs to what went forward") {
    TrainingStory story;
    const uint32_t forward = story.stack({linear_forward, attention, net_forward, main_frame});
    story.site("host", forward, 1, 100);
    story.site("host",
               story.backward({"c10::alloc_cpu(unsigned long)"}, "AddmmBackward0",
                              "py:Attention.forward /home/me/net.py:30", forward,
                              story.stack({engine, main_frame})),
               1, 100);
    story.space("host").numbers = {0, 1};
    CHECK(class_of(story, 1) == "Attention");
}

TEST_CASE("training_modules: earlier versions of Python do not name classes") {
    TrainingStory story;
    story.tensor_site({"py:forward /home/me/net.py:20", main_frame});
    const TrainingModules modules(story.recording.model, story.recording.symbols);
    CHECK_FALSE(modules.has_names());
    CHECK_FALSE(modules.of(0, 0).has_value());
    story.recording.model.capture.python.emplace().version = 0x030a0cf0;
    CHECK_FALSE(TrainingModules(story.recording.model, story.recording.symbols).has_names());
}

TEST_CASE("training_modules: a function named forward is no method without a class") {
    TrainingStory story;
    story.tensor_site({"py:forward /home/me/net.py:20", main_frame});
    story.recording.model.capture.python.emplace().version = 0x030b07f0;
    CHECK(TrainingModules(story.recording.model, story.recording.symbols).has_names());

    // Of a version that is not known, names of other methods tell.
    for (const char* other :
         {"py:Net.loss /home/me/net.py:9", "py:main.<locals>.run /home/a.py:1"}) {
        TrainingStory unknown;
        unknown.tensor_site({"py:forward /home/me/net.py:20", other, main_frame});
        const TrainingModules modules(unknown.recording.model, unknown.recording.symbols);
        CHECK(modules.has_names());
        CHECK(modules.classes().empty());
    }
}
