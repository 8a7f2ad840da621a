// SPDX-License-Identifier: Apache-2.0
//
// The head and the foot of every text report.
#include "analyzer/report/report_parts.h"

#include "analyzer/model/problems.h"

#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

std::string parts_of(const Story& story) {
    std::string out;
    write_program(out, story.recording, {});
    write_foot(out, story.recording, {});
    return out;
}

}  // namespace

TEST_CASE("loss, contradictions, cut stacks, notes and problems are said") {
    Story story = training();
    story.recording.symbols.complete.assign(100, false);
    story.recording.model.capture.lost_events = 7;
    story.recording.model.capture.anomalies = 1;
    story.recording.model.notes.push_back({"coverage", "je_malloc is not covered"});
    story.recording.model.problems.push_back({"a chunk of lane 2 is damaged", 4096, 128});
    story.recording.symbols.notes = {"not found here: libx.so"};
    const std::string text = parts_of(story);
    CHECK_THAT(text, Contains("7 events LOST; 1 contradiction between events"));
    CHECK_THAT(text, Contains("112 call stacks, 0.0 % complete (112 cut short)"));
    CHECK_THAT(text, Contains("Notes\n  coverage: je_malloc is not covered\n"
                              "  names: not found here: libx.so\n"));
    CHECK_THAT(text, Contains("Problems\n  a chunk of lane 2 is damaged (bytes 4096 to 4224 of the "
                              "dump)\n"));
}

TEST_CASE("where the newest events lay in memory and no end was written, more may be lost") {
    Story story = training();
    Model& model = story.recording.model;
    model.notes.push_back({"rings", "The newest events lay in memory of the process"});
    CHECK_THAT(parts_of(story), Contains("none lost"));
    model.process.end = "running";
    CHECK_THAT(parts_of(story), Contains("none lost"));
    model.process.end = "unknown";
    model.capture.anomalies = 1;
    CHECK_THAT(parts_of(story), Contains("; an unknown number LOST; 1 contradiction between "
                                         "events, as\n    where some are lost\n"));
    model.capture.lost_events = 1;
    CHECK_THAT(parts_of(story), Contains("at least 1 event LOST"));
    model.notes.pop_back();
    CHECK_THAT(parts_of(story), Contains("; 1 event LOST"));
}

TEST_CASE("nobody knows how many events were in parts of a dump that cannot be read") {
    Story story = training();
    Model& model = story.recording.model;
    model.process.end = "exit 0";
    model.capture.lost_events = 5;  // so much room is missing
    model.notes.push_back({std::string(unread_subject), "Parts of the dump cannot be read."});
    CHECK_FALSE(knows_all_that_was_lost(model));
    CHECK(known_to_be_lost(model) == 0);
    CHECK_THAT(parts_of(story), Contains("; an unknown number LOST"));
}

TEST_CASE("a guessed frame makes no stack incomplete, and is said") {
    Story story = training();
    const uint32_t stack = story.space("host").sites[1].stack;
    story.change_node(stack, [](StackNode& node) { node.kind = memtrace::NodeKind::guessed; });
    CHECK_THAT(parts_of(story), Contains("112 call stacks, all complete, "
                                         "4 with a guessed frame\n"));
}

TEST_CASE("stacks of a sample of the heap are not counted, and that is said") {
    Story story = training();
    story.space("host").is_estimate = true;
    CHECK_THAT(parts_of(story), Contains("; those of the heap's sample are not counted\n"));
}

TEST_CASE("one line says that Python functions were not recorded") {
    Story story = training();
    story.recording.model.capture.python = PythonInfo{memtrace::PythonState::off, 0, "3.16 is new"};
    CHECK_THAT(parts_of(story), Contains("\n  Python functions are not shown; off: 3.16 is new\n"));
    story.recording.model.capture.python->state = memtrace::PythonState::on;
    CHECK_THAT(parts_of(story), !Contains("Python functions"));
}

TEST_CASE("text is broken between words, at the columns that it takes") {
    std::string out;
    write_wrapped(out, "  one two three", 4, 11);
    CHECK(out == "  one two\n    three\n");
    out.clear();
    write_wrapped(out, "a \xe6\x97\xa5\xe6\x9c\xac b", 0, 6);  // each takes two columns
    CHECK(out == "a \xe6\x97\xa5\xe6\x9c\xac\nb\n");
}

TEST_CASE("a space that is not there is named, with those that are") {
    std::string out;
    TextOptions options;
    write_no_space(out, training().recording, options);
    CHECK(out.empty());
    options.space = "mmap";
    write_no_space(out, training().recording, options);
    CHECK(out == "\nNo events in space \"mmap\"; this dump has: host.\n");
}

TEST_CASE("filters that keep nothing are named, with what the whole is") {
    Story story;
    std::string out;
    write_no_space(out, story.recording, {});
    CHECK(out == "\nNothing was allocated.\n");
    story.recording.model.damaged = true;
    out.clear();
    write_no_space(out, story.recording, {});
    CHECK(out == "\nNothing that can be read was allocated: events are missing.\n");
    FilterInfo& info = story.recording.model.filters.emplace();
    info.filters.functions = {"nosuch"};
    FilteredSpace& host = info.spaces.emplace_back();
    host.name = "host";
    host.whole.at_peak_bytes = 40 << 20;
    host.whole.at_peak_blocks = 1;
    TextOptions options;
    options.width = 80;
    options.space = "host";
    out.clear();
    write_no_space(out, story.recording, options);
    CHECK(out ==
          "\nNothing to show: no call site passes --function nosuch (without it: 40.0 MiB at\n"
          "  the peak of host).\n");
    story.site("mmap", story.stack({"main a.cpp:1"}), 1, 64);
    out.clear();
    write_no_space(out, story.recording, options);
    CHECK(out == "\nNo call site in space \"host\" passes --function nosuch.\n");
}

TEST_CASE("a title that is too long is wrapped") {
    std::string out;
    TextOptions options;
    options.width = 30;
    write_title(out, options, "Held when the work ended", ": 12.0 MiB in 3 blocks");
    CHECK(out == "\nHeld when the work ended: 12.0\n  MiB in 3 blocks\n");
    options.width = 20;
    options.colour = true;
    out.clear();
    write_title(out, options, "Held when the work ended", ": 1");
    CHECK(out == "\n\033[1mHeld when the work\033[0m\n  ended: 1\n");
}

TEST_CASE("a report says in one line which filters are on, and what they keep") {
    Story story = training();
    FilterInfo& info = story.recording.model.filters.emplace();
    info.filters.threads = {"loader*"};
    info.filters.own = true;
    FilteredSpace& host = info.spaces.emplace_back();
    host.name = "host";
    host.whole.at_peak_bytes = 40 << 20;
    host.kept.at_peak_bytes = 10 << 20;
    CHECK_THAT(parts_of(story), Contains("\n  only --thread loader* --own: 10.0 MiB of 40.0 MiB at "
                                         "the peak of host\n"));
    AskedPhase& phase = story.recording.model.phase.emplace();
    phase.range = AskedRange{"step 3", "2.5s", 1'000'000'000, 2'500'000'000};
    CHECK_THAT(parts_of(story),
               Contains("\n  only of the range from step 3 to 2.5s: 1 s to 2.5 s\n"));
    phase.range = AskedRange{"step 3", "step 3", 29'800'000, 29'801'000};
    CHECK_THAT(parts_of(story), Contains(" from step 3 to step 3: 1 us after 29.8 ms\n"));
    phase.range->end_ns = phase.range->begin_ns;
    CHECK_THAT(parts_of(story), Contains(" from step 3 to step 3: the moment after 29.8 ms\n"));
}

TEST_CASE("several recordings that are summed are named as such, and peaks are upper bounds") {
    Story story = training();
    story.recording.model.process.duration_ns = 3'000'000'000;
    for (uint64_t pid = 1; pid <= 9; ++pid) {
        ProcessPart& part = story.recording.merged.processes.emplace_back();
        part.process.pid = pid;
        part.process.command = {"train.py", pid == 9 ? "--evaluate" : ""};
    }
    const std::string text = parts_of(story);
    CHECK_THAT(text, Contains(", and 1 other command\n"));
    CHECK_THAT(text,
               Contains("  9 processes as one (1, 2, 3, 4, 5, 6, 7, 8 and 1 more), 3 s from "));
    CHECK_THAT(text, Contains("each peak is the sum of their peaks"));
    CHECK_THAT(text, !Contains("  process "));
}
