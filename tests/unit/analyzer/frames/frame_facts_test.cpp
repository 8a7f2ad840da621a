// SPDX-License-Identifier: Apache-2.0
#include "analyzer/frames/frame_facts.h"

#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("facts tell plumbing, Python, the interpreter and the start of a thread") {
    Story story;
    story.stack({"libc:malloc", "interpreter:list_append", "py:f a.py:1", "libc:_start"});
    const auto facts = facts_of(story.recording.symbols);
    const auto has = [&](const std::string& function, FrameFacts::Bit bit) {
        const auto& frames = story.recording.symbols.frames;
        for (FrameId id = 0; id < frames.size(); ++id) {
            if (frames[id].function == function) return facts->has(id, bit);
        }
        FAIL("no frame " << function);
        return false;
    };
    CHECK_FALSE(has("malloc", FrameFacts::interesting));
    CHECK(has("list_append", FrameFacts::interpreter));
    CHECK(has("f", FrameFacts::python));
    CHECK(has("f", FrameFacts::interesting));
    CHECK(has("_start", FrameFacts::before_python));
    CHECK_FALSE(has("f", FrameFacts::before_python));
}

TEST_CASE("two columns of a line are one line, and two lines of a function one function") {
    Story story;
    Frame frame;
    frame.kind = FrameKind::python;
    frame.file = "a.py";
    frame.function = "f";
    frame.named = true;
    for (const auto& [line, column] : {std::pair{1, 2}, std::pair{1, 9}, std::pair{2, 2}}) {
        frame.line = static_cast<uint32_t>(line);
        frame.column = static_cast<uint32_t>(column);
        story.recording.symbols.frames.push_back(frame);
    }
    const auto facts = facts_of(story.recording.symbols);
    CHECK(facts->lines == std::vector<FrameId>{0, 0, 2});
    CHECK(facts->functions == std::vector<uint32_t>{0, 0, 0});
}

TEST_CASE("facts are found once, and again when there are more frames") {
    Story story;
    story.stack({"f", "main"});
    const auto first = facts_of(story.recording.symbols);
    CHECK(facts_of(story.recording.symbols) == first);
    const uint32_t stack = story.stack({"py:g a.py:1", "main"});
    const auto second = facts_of(story.recording.symbols);
    CHECK(second != first);
    CHECK(second->shows_python(stack));
    CHECK_FALSE(second->shows_python(story.recording.symbols.nodes.parent(stack)));
}

TEST_CASE("facts: what a backward node calls runs backward, and what calls it does not") {
    Story story;
    const uint32_t forward = story.stack({"py:f net.py:1"});
    const uint32_t engine = story.stack({"execute", "main"});
    const uint32_t stack =
        story.backward({"malloc", "apply"}, "MmBackward0", "py:f net.py:1", forward, engine);
    const auto facts = facts_of(story.recording.symbols);
    CHECK(facts->runs_backward(stack));
    CHECK(facts->runs_backward(story.recording.symbols.nodes.parent(stack)));
    CHECK_FALSE(facts->runs_backward(engine));
    CHECK_FALSE(facts->runs_backward(forward));
}
