// SPDX-License-Identifier: Apache-2.0
//
// The figures that all reports share.
#include "analyzer/sites/recording.h"

#include "tests/tools/story.h"
#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using memtrace::test::load_story;

TEST_CASE("spaces are found by name") {
    Story story;
    story.site("host", story.stack({"f"}), 1, 1);
    CHECK(find_space(story.recording.model, "host") != nullptr);
    CHECK(find_space(story.recording.model, "mmap") == nullptr);
}

TEST_CASE("captures are complete if their stack is, and never more than there were") {
    Story story;
    const uint32_t whole = story.stack({"f", "main"});
    const uint32_t cut = story.stack({"g"});
    story.site("host", whole, 5, 1);
    story.site("host", cut, 2, 1);
    story.recording.symbols.complete[cut] = false;
    CHECK(captures_complete(story.recording) == 5);
    story.recording.model.capture.captures = 3;
    CHECK(captures_complete(story.recording) == 3);
}

TEST_CASE("the host has what its machine has, or less where a control group allows less") {
    ProcessInfo process;
    CHECK_FALSE(host_memory(process).has_value());
    process.memory_limit = 300;
    CHECK(host_memory(process) == 300u);
    process.machine_memory = 200;  // A group may allow more than the machine has.
    CHECK(host_memory(process) == 200u);
    process.memory_limit = 100;
    CHECK(host_memory(process) == 100u);
    process.memory_limit = 0;
    CHECK(host_memory(process) == 200u);
}

TEST_CASE("whether Python was recorded: the last word counts") {
    CHECK(python_state_text(load_story("release lane=0 time=1 address=1")) ==
          "off: the dump has native frames only");
    CHECK(python_state_text(load_story("python_status time=1 state=none")) == "none");
    CHECK(python_state_text(load_story(R"(
        python_status lane=0 time=1 state=none
        python_status lane=0 time=5 state=on version=0x030b07f0
    )")) == "on (3.11.7)");
    CHECK(python_state_text(load_story(R"(
        python_status lane=0 time=1 state=on version=0x030b07f0
        python_status lane=0 time=5 state=off version=0x030b07f0 why="3.11.7 looks odd"
    )")) == "off: 3.11.7 looks odd");
    CHECK(python_state_text(load_story("python_status time=1 state=on")) == "on");
    CHECK(python_state_text(load_story("python_status time=1 state=77")) ==
          "off: the recording does not say why");
}

TEST_CASE("how Python's small objects were recorded") {
    Model model;
    CHECK(python_objects_text(model) == "not recorded");
    ObjectsInfo& objects = model.capture.python_objects.emplace();
    CHECK(python_objects_text(model) == "not recorded; the recording does not say why");
    objects.why = "3.16 is new";
    CHECK(python_objects_text(model) == "not recorded; 3.16 is new");
    objects.state = memtrace::PythonObjectsState::late;
    CHECK(python_objects_text(model) == "not from the first one on; 3.16 is new");
    objects.state = memtrace::PythonObjectsState::whole;
    CHECK(python_objects_text(model) == "all");
    objects.interval = 4096;
    CHECK(python_objects_text(model) == "a sample");
}
