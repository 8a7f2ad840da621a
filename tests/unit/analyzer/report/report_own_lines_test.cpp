// SPDX-License-Identifier: Apache-2.0
//
// The table of own lines, with the expected output written out.
#include "analyzer/report/report_own_lines.h"

#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

constexpr uint64_t mib = 1 << 20;

std::string table_of(const Story& story, const TextOptions& options = {},
                     OwnFigures figures = OwnFigures::peak_and_held) {
    std::string out;
    write_own_lines(out, story.recording, find_own_lines(story.recording), figures, options);
    return out;
}

Story python_program() {
    Story story;
    const std::string importing = "py:_find_and_load <frozen importlib._bootstrap>:1";
    const std::string torch = "py:<module> /v/site-packages/torch/__init__.py:445";
    story.site("host", story.stack({"libc:malloc", "py:step /src/train.py:41"}), 8, mib, 2);
    story.site("host", story.stack({"libc:malloc", "py:load /src/train.py:9"}), 1, mib, 1);
    story.site("host",
               story.stack({"libc:malloc", torch, importing, "py:<module> /src/train.py:3"}), 100,
               mib, 100);
    story.site("host", story.stack({"libc:malloc", "interpreter:Py_InitializeFromConfig"}), 3, mib,
               3);
    story.site("mmap", story.stack({"py:load /src/train.py:9"}), 1, 64 * mib, 1);
    return story;
}

}  // namespace

TEST_CASE("own lines stand first, each column adds up to its space") {
    CHECK(table_of(python_program()) == R"(
                                                  - host -              - mmap -
  YOUR LINES                            AT PEAK       HELD    AT PEAK       HELD
  src/train.py:9 load                   1.0 MiB    1.0 MiB   64.0 MiB   64.0 MiB
  src/train.py:41 step                  8.0 MiB    2.0 MiB          -          -
  import torch (train.py:3)           100.0 MiB  100.0 MiB          -          -
  the interpreter                       3.0 MiB    3.0 MiB          -          -
  in all                              112.0 MiB  106.0 MiB   64.0 MiB   64.0 MiB
)");
}

TEST_CASE("the report of leaks shows what is held, in blocks too") {
    TextOptions options;
    options.space = "host";
    options.own_top = 1;
    Story story = python_program();
    story.site("host", story.stack({"libc:malloc", "py:load /src/train.py:10"}), 1, mib, 1);
    CHECK(table_of(story, options, OwnFigures::held) == R"(
  YOUR LINES (host)                        HELD     BLOCKS
  src/train.py:41 step                  2.0 MiB          2
  2 lines more                          2.0 MiB          2
  import torch (train.py:3)           100.0 MiB        100
  the interpreter                       3.0 MiB          3
  in all                              107.0 MiB        107
)");
}

TEST_CASE("a terminal too narrow for two spaces gets two tables") {
    TextOptions options;
    options.width = 60;
    CHECK_THAT(table_of(python_program(), options), Contains("YOUR LINES (host)") &&
                                                        Contains("YOUR LINES (mmap)") &&
                                                        !Contains("- host -"));
    options.width = 10;
    CHECK_THAT(table_of(python_program(), options), Contains("in all"));
}

TEST_CASE("memory of GPUs has a table of its own") {
    Story story = python_program();
    story.site("device:0", story.stack({"libc:malloc", "py:load /src/train.py:9"}), 1, mib);
    TextOptions options;
    options.width = 200;
    CHECK_THAT(table_of(story, options), Contains("- mmap -\n") &&
                                             Contains("YOUR LINES (device:0)") &&
                                             !Contains("- device:0 -"));
}

TEST_CASE("backward lines are own lines, named by the line that went forward") {
    Story story;
    const std::string line = "py:Net.forward /src/net.py:42";
    const uint32_t forward = story.stack({"libc:malloc", line});
    const uint32_t inner = story.backward({"libc:malloc"}, "AddmmBackward0", line, forward,
                                          story.stack({"libc:clone"}));
    story.site("host", inner, 5, 1000);
    CHECK_THAT(table_of(story),
               Contains("  backward of src/net.py:42 Net.forward    4.9 KiB          -\n"));
}

TEST_CASE("code without names is shown by its file, and it is no line") {
    Story story;
    story.site("host", story.stack({"libc:malloc", "train+0x10"}), 1, 50);
    for (Frame& frame : story.recording.symbols.frames) frame.named = false;
    CHECK(table_of(story) == R"(
  YOUR CODE                             AT PEAK       HELD
  [train]                                  50 B          -
)");
}

TEST_CASE("libraries are one row, but rows of their own if there is nothing else") {
    Story story;
    story.site("host", story.stack({"libc:malloc", "interpreter:Py_Initialize"}), 1, 50);
    story.site("host", story.stack({"libc:malloc", "ssl_init"}), 1, 70);
    for (Frame& frame : story.recording.symbols.frames) {
        if (frame.function == "ssl_init") frame.module = "/usr/lib/libssl.so.3";
    }
    CHECK_THAT(table_of(story),
               Contains("WHERE") && Contains("  libssl  ") && Contains("  the interpreter  "));
    story.site("host", story.stack({"libc:malloc", "py:f /src/a.py:1"}), 1, 10);
    CHECK_THAT(table_of(story), Contains("  interpreter, libraries                  120 B"));
    TextOptions options;
    options.all_rows = true;
    CHECK_THAT(table_of(story, options), Contains("  libssl  ") && !Contains("libraries"));
}

TEST_CASE("estimates have a sign, and a space that never held memory has no table") {
    Story story = python_program();
    story.space("host").is_estimate = true;
    CHECK_THAT(table_of(story), Contains("~100.0 MiB  ~100.0 MiB"));
    CHECK(table_of(Story{}).empty());
}

TEST_CASE("instances of a template whose names look the same at their line are one row") {
    Story story;
    const auto add = [&](const std::string& type, const std::string& place) {
        const std::string name = "List<" + type + ">::grow";
        story.site("host", story.stack({"libc:malloc", name + " " + place}), 1, mib);
    };
    add("WeightsOfTheFirstLayerOfAll", "src/list.h:7");
    add("WeightsOfTheSecondLayerOfAll", "src/list.h:7");
    add("WeightsOfTheSecondLayerOfAll", "src/list.h:8");
    add("int", "src/list.h:7");
    TextOptions narrow;
    narrow.width = 60;
    CHECK(table_of(story, narrow) == R"(
  YOUR LINES                            AT PEAK       HELD
  List<...>::grow  src/list.h:7         2.0 MiB          -
  List<...>::grow  src/list.h:8         1.0 MiB          -
  List<int>::grow  src/list.h:7         1.0 MiB          -
  in all                                4.0 MiB          -
)");
    TextOptions wide;
    wide.width = 140;
    CHECK_THAT(table_of(story, wide), Contains("FirstLayerOfAll>::grow  src/list.h:7") &&
                                          Contains("SecondLayerOfAll>::grow  src/list.h:7"));
}

TEST_CASE("a wide terminal has room for long names") {
    Story story;
    const std::string name = "a_long_name_of_a_function_" + std::string(40, 'x');
    story.site("host", story.stack({"libc:malloc", name + " src/a_long_name.cpp:7"}), 1, 50);
    TextOptions options;
    options.width = 140;
    CHECK_THAT(table_of(story, options), Contains("  " + name + "  src/a_long_name.cpp:7  "));
}

TEST_CASE("of very many lines that hold little each, the largest are shown all the same") {
    Story story;
    for (int line = 1; line <= 300; ++line) {
        const std::string place = "make a.cpp:" + std::to_string(line);
        story.site("host", story.stack({"libc:malloc", place}), 1, 1000 + line);
    }
    TextOptions options;
    options.min_percent = 1;
    options.shown_least = 3;
    const std::string table = table_of(story, options);
    CHECK_THAT(table, Contains("make  a.cpp:300") && Contains("make  a.cpp:298"));
    CHECK_THAT(table, !Contains("a.cpp:297 ") && Contains("297 lines more"));
}
