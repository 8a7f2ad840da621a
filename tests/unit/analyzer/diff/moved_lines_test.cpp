// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diff/moved_lines.h"

#include "tests/unit/analyzer/diff/diffs.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

Story held_by(const std::string& function) {
    Story story;
    story.site("host", story.stack({function}), 1, 1000);
    return story;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("moved lines: a line with the same number in both has not moved") {
    const Story story = held_by("py:f /src/a.py:3");
    CHECK(moved_lines(diff_of(story, story), "", 80).empty());
}

TEST_CASE("moved lines: named as they were, with their number now") {
    const Diff diff = diff_of(held_by("py:f /src/a.py:3"), held_by("py:f /src/a.py:9"));
    CHECK(moved_lines(diff, "", 80) == Texts{"src/a.py:3 f, now in line 9"});
    CHECK(moved_lines(diff, "mmap", 80).empty());
}

TEST_CASE("moved lines: what is new or gone has not moved, nor has what has no line") {
    CHECK(moved_lines(diff_of(Story(), held_by("py:f /src/a.py:9")), "", 80).empty());
    CHECK(moved_lines(diff_of(held_by("f a.c:0"), held_by("f a.c:9")), "", 80).empty());
}
