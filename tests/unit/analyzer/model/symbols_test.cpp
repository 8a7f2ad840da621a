// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/symbols.h"

#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

std::string names_of(const Symbols& symbols, uint32_t stack, uint32_t depth = 0) {
    std::string names;
    symbols.walk(
        stack, [&](FrameId id) { names += symbols.frames[id].function + " "; }, depth);
    return names;
}

}  // namespace

TEST_CASE("a walk goes from the innermost frame outwards, as far as it is asked") {
    Story story;
    const uint32_t stack = story.stack({"f", "g", "main"});
    CHECK(names_of(story.recording.symbols, stack) == "f g main ");
    CHECK(names_of(story.recording.symbols, stack, 2) == "f g ");
    CHECK(names_of(story.recording.symbols, 99).empty());
}

TEST_CASE("frames that are not wanted leave all stacks") {
    Story story;
    const uint32_t stack = story.stack({"py:f a.py:1", "g", "py:h a.py:2"});
    Symbols& symbols = story.recording.symbols;
    symbols.keep_frames([](const Frame& frame) { return frame.kind == FrameKind::python; });
    CHECK(names_of(symbols, stack) == "f h ");
    CHECK(symbols.facts == nullptr);
}
