// SPDX-License-Identifier: Apache-2.0
//
// The figures that all reports share.
#include "analyzer/sites/recording.h"

#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("spaces are found by name") {
    Story story;
    story.site("host", story.stack({"f"}), 1, 1);
    CHECK(find_space(story.report.model, "host") != nullptr);
    CHECK(find_space(story.report.model, "mmap") == nullptr);
}

TEST_CASE("captures are complete if their stack is, and never more than there were") {
    Story story;
    const uint32_t whole = story.stack({"f", "main"});
    const uint32_t cut = story.stack({"g"});
    story.site("host", whole, 5, 1);
    story.site("host", cut, 2, 1);
    story.report.symbols.complete[cut] = false;
    CHECK(captures_complete(story.report) == 5);
    story.report.model.capture.captures = 3;
    CHECK(captures_complete(story.report) == 3);
}

TEST_CASE("the host has what its machine has, or less where a control group allows less") {
    ProcessInfo process;
    CHECK_FALSE(host_memory(process).has_value());
    process.memory_limit = 300;
    CHECK(host_memory(process) == 300u);
    process.machine_memory = 200;  // A group may allow more than there is.
    CHECK(host_memory(process) == 200u);
    process.memory_limit = 100;
    CHECK(host_memory(process) == 100u);
    process.memory_limit = 0;
    CHECK(host_memory(process) == 200u);
}
