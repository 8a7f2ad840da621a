// SPDX-License-Identifier: Apache-2.0
//
// The value of a stack here is the list of its shown functions, the outermost first.
#include "analyzer/frames/path_values.h"

#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

class ShownFunctions {
public:
    explicit ShownFunctions(const Story& story, bool interpreter_frames = false)
        : story_(story),
          view_(story.recording.symbols, interpreter_frames),
          values_(view_, std::string()) {}

    std::string of(uint32_t stack) {
        return values_.of(stack, [&](std::string callers, FrameId frame) {
            ++steps;
            return callers + story_.recording.symbols.frames[frame].function + " ";
        });
    }
    std::string walked(uint32_t stack) const {
        std::string text;
        view_.walk(stack, [&](FrameId frame, uint32_t) {
            text = story_.recording.symbols.frames[frame].function + " " + text;
            return true;
        });
        return text;
    }

    int steps = 0;

private:
    const Story& story_;
    StackView view_;
    PathValues<std::string> values_;
};

}  // namespace

TEST_CASE("path_values: a value is made of the frames that a walk shows") {
    const Story story = python_training();
    for (const bool interpreter_frames : {false, true}) {
        ShownFunctions functions(story, interpreter_frames);
        for (const Site& site : story.recording.model.spaces[0].sites) {
            CHECK(functions.of(site.stack) == functions.walked(site.stack));
            CHECK(functions.of(site.stack) == functions.walked(site.stack));
        }
    }
}

TEST_CASE("path_values: each frame is asked for once, however many stacks call from it") {
    Story story;
    const uint32_t caller = story.stack({"caller", "main"});
    const uint32_t first = story.stack({"leaf"}, caller);
    const uint32_t second = story.stack({"other leaf"}, caller);
    ShownFunctions functions(story);
    CHECK(functions.of(first) == "main caller leaf ");
    CHECK(functions.of(second) == "main caller other leaf ");
    CHECK(functions.of(first) == "main caller leaf ");
    CHECK(functions.steps == 4);
}

TEST_CASE("path_values: what is shown of callers depends on the stack that they are in") {
    Story story;
    const uint32_t plain = story.stack({"make", "main", "libc:__libc_start_main"});
    const uint32_t python =
        story.stack({"py:hook", "interpreter:call", "main", "libc:__libc_start_main"});
    ShownFunctions functions(story);
    for (int round = 0; round < 2; ++round) {
        CHECK(functions.of(plain) == "__libc_start_main main make ");
        CHECK(functions.of(python) == functions.walked(python));
        CHECK(functions.of(python) == "hook ");
    }
}

TEST_CASE("path_values: a stack of nothing has the value of no frames") {
    const Story story;
    CHECK(ShownFunctions(story).of(memtrace::no_stack) == "");
}
