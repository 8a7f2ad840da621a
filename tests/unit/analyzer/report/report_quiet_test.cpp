// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/report_quiet.h"

#include "tests/unit/analyzer/growth/growing.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Contains;

namespace {

std::string text_of(const Recording& recording, const TextOptions& options = {}) {
    std::string out;
    write_quiet(out, recording, find_growth(recording), options);
    return out;
}

}  // namespace

TEST_CASE("what is large and no leak is named by the line of one's own, once") {
    GrowingStory story;
    for (const char* const inner : {"libc:malloc", "libc:calloc", "libc:realloc"})
        story.keeps({inner, "libc:default_malloc", "load src/app.cpp:5", "main a.cpp:8"}, 1000, 0,
                    5);
    story.keeps({"libc:malloc", "libc:start_late"}, 500, 0, 5);
    const std::string text = text_of(story.recording);
    CHECK_THAT(text, Contains("warm-up     14.6 KiB  load  src/app.cpp:5\n"));
    CHECK_THAT(text, Contains("warm-up      2.4 KiB  malloc  [libc.so.6]"));
    CHECK_THAT(text, !Contains("default_malloc"));
}

TEST_CASE("nothing is written if nothing is large") {
    GrowingStory story;
    story.keeps({"libc:malloc", "load src/app.cpp:5"}, 1000, 0, 5);
    TextOptions options;
    options.min_value = 1 << 20;
    CHECK(text_of(story.recording, options).empty());
}
