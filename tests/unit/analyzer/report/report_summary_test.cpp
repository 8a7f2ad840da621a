// SPDX-License-Identifier: Apache-2.0
//
// The text of the summary, with the expected output written out.
#include "analyzer/report/report_summary.h"

#include <algorithm>

#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

std::string summary_of(const Story& story, TextOptions options = {}) {
    std::string out;
    write_summary(out, story.recording, options);
    return out;
}

constexpr size_t own_top_of_command = 5;  // the default of the command

}  // namespace

TEST_CASE("the summary") {
    CHECK(summary_of(training()) ==
          R"(train --steps 3
  process 42, 12.4 s, ended by exit 0
  223 events in 448 B (2.0 bytes each); none lost
  112 call stacks, all complete

  SPACE              PEAK        AFTER  AT THE END   ALLOCATED          CALLS  TEMPORARY
  host          300.1 MiB       1.24 s    25.0 MiB   300.1 MiB            112      0.0 %

  YOUR LINES                                 AT PEAK       HELD
  Model::make_tensor  model/tensor.cpp:42  300.0 MiB   25.0 MiB
  load_batch  src/data.cpp:7                97.7 KiB          -
  in all                                   300.1 MiB   25.0 MiB

  Next: memtrace-report html (all of it in the browser), leaks (what stays), growth (what grows),
    peak (what was held then), lines FILE (beside your source)

Peak of host: 300.1 MiB (314,672,800 bytes) in 112 blocks, after 1.24 s
        BYTES   SHARE     BLOCKS  WHERE, AND WHO CALLED IT
    300.0 MiB >99.9 %         12  Model::make_tensor  model/tensor.cpp:42
    200.0 MiB  66.6 %          8    train_step  src/train.cpp:17
                                      main  src/train.cpp:90
    100.0 MiB  33.3 %          4    warm_up  src/train.cpp:11
                                      main  src/train.cpp:88
     97.7 KiB  <0.1 %        100  load_batch  src/data.cpp:7

Still allocated at the end in host: 25.0 MiB (26,214,400 bytes) in 1 block
        BYTES   SHARE     BLOCKS  WHERE, AND WHO CALLED IT
     25.0 MiB 100.0 %          1  Model::make_tensor  model/tensor.cpp:42
                                    warm_up  src/train.cpp:11
                                    main  src/train.cpp:88
)");
}

TEST_CASE("a program that allocates nothing") {
    Story story;
    story.recording.model.process.end = "unknown";
    CHECK(summary_of(story) == R"(train --steps 3
  process 42, 12.4 s, end not recorded (killed, recording stopped, or still running)
  0 events in 0 B; none lost

Nothing was allocated.
)");
}

TEST_CASE("the table of own lines ends on the first screen of 24 lines") {
    Story story;
    for (int i = 0; i < 40; ++i) {
        const std::string line = std::to_string(i + 1);
        story.site("host", story.stack({"libc:malloc", "py:f /src/train.py:" + line}), 1, 100);
        story.site("mmap",
                   story.stack({"py:<module> /v/site-packages/p" + line + "/a.py:1",
                                "py:_find_and_load <frozen importlib._bootstrap>:1",
                                "py:<module> /src/train.py:" + line}),
                   1, 100);
    }
    TextOptions options;
    options.width = 80;
    options.own_top = own_top_of_command;
    const std::string text = summary_of(story, options);
    const std::string first = text.substr(0, text.find("\n  Next:"));
    CHECK(std::count(first.begin(), first.end(), '\n') <= 24);
    CHECK_THAT(first, Contains("  35 lines more") && Contains("  38 imports more"));
}

TEST_CASE("control characters of names never reach the terminal") {
    Story story;
    story.recording.model.process.command = {"evil\033[31m\n"};
    story.site("host", story.stack({"f\033]0;title\007 a\tb.cpp:1"}), 1, 1);
    const std::string text = summary_of(story);
    CHECK(text.find('\033') == std::string::npos);
    CHECK(text.find('\007') == std::string::npos);
    CHECK_THAT(text, Contains("evil?[31m?\n"));
}

TEST_CASE("the summary of a Python program names lines of Python") {
    CHECK_THAT(summary_of(python_training()), Contains(R"(
    200.0 MiB  66.7 %          8  src/train.py:41 train_step
                                    src/train.py:90 <module>
    100.0 MiB  33.3 %          4  at::empty  aten/empty.cpp:7
                                    src/train.py:41 train_step
                                    src/train.py:90 <module>
)"));
}

TEST_CASE("colours only where they are wanted, and they change nothing else") {
    TextOptions options;
    options.colour = true;
    std::string coloured = summary_of(training(), options);
    CHECK_THAT(coloured, Contains("\033[1m"));
    std::string plain;
    for (size_t i = 0; i < coloured.size(); ++i) {
        if (coloured[i] == '\033') {
            i = coloured.find('m', i);
        } else {
            plain += coloured[i];
        }
    }
    CHECK(plain == summary_of(training()));
}

TEST_CASE("--top, --min and --space choose, and what is left out is summed up") {
    TextOptions options;
    options.top = 1;
    CHECK_THAT(summary_of(training(), options),
               Contains("     97.7 KiB  <0.1 %        100  1 place more"));
    options.top = 10;
    options.min_value = 1 << 20;
    CHECK_THAT(summary_of(training(), options),
               Contains("1 place more") && Contains("  1 line more "));
    options.space = "mmap";
    CHECK_THAT(summary_of(training(), options),
               Contains("No events in space \"mmap\"; this dump has: host."));
}

namespace {

// What each site holds at the end it has held since the middle.
void hold_from_the_middle_on(Space& space) {
    space.totals.half_bytes = space.totals.held_bytes;
    for (size_t i = 0; i < space.sites.size(); ++i) {
        Totals totals = space.sites.totals(i);
        totals.half_bytes = totals.held_bytes;
        space.sites.set_totals(i, totals);
    }
}

}  // namespace

TEST_CASE("what grew in the second half is said with the line that has most of it") {
    Story story = training();
    Recording& recording = story.recording;
    recording.model.process.half_ns = 5'000'000'000;
    CHECK_THAT(summary_of(story), Contains("  grew in the second half, since 5 s: host by "));
    Space& host = recording.model.spaces[0];
    hold_from_the_middle_on(host);
    CHECK_THAT(summary_of(story), Contains("  nothing grew in the second half, since 5 s"));
    host.totals.half_bytes -= 5000;
    CHECK_THAT(summary_of(story), Contains("  grew little in the second half, since 5 s: host by"));
    recording.model.process.half_ns = 0;  // not known
    CHECK_THAT(summary_of(story), !Contains("second half"));
}

namespace {

// A line held so many bytes in the middle, at the peak of its space, and at the end.
struct Course {
    const char* place;
    uint64_t half, peak, held;
};

std::string grown_in(const std::vector<Course>& lines) {
    Story story;
    ProcessInfo& process = story.recording.model.process;
    process.half_ns = 5'000'000'000;
    for (const Course& line : lines) {
        story.site("host", story.stack({"libc:malloc", line.place}), 1, line.peak, 1);
    }
    Space& host = story.space("host");
    host.peak_time_ns = 8'000'000'000;
    host.totals = {};
    for (size_t i = 0; i < lines.size(); ++i) {
        Totals totals = host.sites.totals(i);
        totals.half_bytes = lines[i].half;
        totals.held_bytes = totals.live_bytes = lines[i].held;
        host.sites.set_totals(i, totals);
        add(host.totals, totals);
    }
    TextOptions wide;
    wide.width = 200;
    const std::string text = summary_of(story, wide);
    const size_t end = text.find(": memtrace-report growth");
    const size_t begin = text.rfind('\n', end) + 1;
    return text.substr(begin, end - begin);
}

}  // namespace

TEST_CASE("a line that only grows is told, though other lines shrink more than it grows") {
    constexpr uint64_t mib = 1 << 20;
    const Course leak{"py:keep a.py:4", 2 * mib, 4 * mib, 4 * mib};
    CHECK(grown_in({leak, {"py:load a.py:9", 8 * mib, 8 * mib, 0}}) ==
          "  grew in the second half, since 5 s: in host a.py:4 keep by 2.0 MiB, while others "
          "shrank");
    CHECK(
        grown_in({leak, {"py:load a.py:9", mib, mib, 0}}) ==
        "  grew in the second half, since 5 s: host by 1.0 MiB (a.py:4 keep: 2.0 MiB, while others "
        "shrank)");
    CHECK(grown_in({{"py:keep a.py:4", 8, 4000, 4000}, {"py:load a.py:9", mib, mib, 0}}) ==
          "  nothing grew much in the second half, since 5 s");
    CHECK(grown_in({{"py:load a.py:9", mib, mib, 0}}) ==
          "  nothing grew in the second half, since 5 s");
}

TEST_CASE("what rose and fell is the line that did, and not one that stayed") {
    constexpr uint64_t mib = 1 << 20;
    const Course data{"py:load a.py:9", 0, 8 * mib, 0};
    CHECK(grown_in({data, {"py:keep a.py:4", 8, 8, 8}}) ==
          "  in the second half, since 5 s, host rose by 8.0 MiB until 8 s (a.py:9 load: 8.0 MiB), "
          "and fell again");
    CHECK(
        grown_in({data, {"py:keep a.py:4", 2 * mib, 4 * mib, 4 * mib}}) ==
        "  in the second half, since 5 s, host rose by 10.0 MiB until 8 s (a.py:9 load: 8.0 MiB), "
        "and fell again; grew: host by 2.0 MiB (a.py:4 keep: 2.0 MiB)");
}

TEST_CASE("a block or two of a sample are no growth") {
    Story story = training();
    Recording& recording = story.recording;
    recording.model.process.half_ns = 5'000'000'000;
    Space& host = recording.model.spaces[0];
    hold_from_the_middle_on(host);
    host.totals.held_bytes = 10 << 20;
    host.totals.half_bytes = host.totals.held_bytes - (256 << 10);
    CHECK_THAT(summary_of(story), Contains("  grew in the second half, since 5 s: host by "));
    host.is_estimate = true;
    host.sample_interval = 64 << 10;
    CHECK_THAT(summary_of(story),
               Contains("  nothing grew beyond what a sample shows by chance in the second"));
    host.totals.half_bytes = 1 << 20;
    CHECK_THAT(summary_of(story), Contains("  grew in the second half, since 5 s: host by ~9"));
}
