// SPDX-License-Identifier: Apache-2.0
//
// Steps are compared if both recordings have those of one loop.
#include "analyzer/diff/step_match.h"

#include "analyzer/base/json_text.h"
#include "analyzer/diff/diff_json.h"
#include "analyzer/diff/report_diff.h"
#include "tests/unit/analyzer/diff/diffs.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

// A program that allocates at one line of main() and in a function that main() calls. Its steps are
// those of the loop in line `steps`; `loops` are the lines of all loops of main().
struct Source {
    uint32_t line = 21;
    std::vector<uint32_t> loops{21};
    uint32_t steps = 21;
    std::string function = "main";
    std::string callee = "work";
};

Story story_of(const Source& source) {
    Story story;
    const std::string main = source.function + " src/q.cpp:";
    story.site("host", story.stack({main + std::to_string(source.line)}), 10, 100);
    story.site("host", story.stack({source.callee + " src/q.cpp:9", main + "5"}), 10, 100);
    Model& model = story.recording.model;
    for (const uint32_t line : source.loops) {
        SourceLoop loop;
        loop.function = source.function;
        loop.file = "src/q.cpp";
        loop.line = line;
        loop.count = 10;
        if (line == source.steps) model.loops.steps = model.loops.loops.size();
        model.loops.loops.push_back(loop);
    }
    model.slices.slices = {{1, 0, 0}, {2, 5, 10}};
    model.slices.step = "loop";
    model.slices.is_found = true;
    model.slices.steps = 9;
    Space& host = story.space("host");
    HeldPoint in_steps;
    in_steps.slice = 1;
    in_steps.allocations = 10;
    in_steps.allocated_bytes = 1000;
    SiteHistory history;
    history.held = {in_steps};
    for (size_t i = 0; i < host.sites.size(); ++i) host.histories.push_back(history);
    return story;
}

Diff diff_of(const Source& before, const Source& after) {
    return diff_of(story_of(before), story_of(after));
}

std::string text_of(const Diff& diff) {
    std::string out;
    write_diff(out, diff, {});
    return out;
}

}  // namespace

TEST_CASE("step_match: the same loop, moved, and whole steps") {
    const Diff diff = diff_of(Source{}, {.line = 27, .loops = {27}, .steps = 27});
    CHECK(diff.has_steps);
    CHECK_THAT(text_of(diff), Contains("9 whole steps of q.cpp:21 before, 9 whole steps of "
                                       "q.cpp:27 after\n"));
}

TEST_CASE("step_match: a line that is before one loop and in the other tells them apart") {
    const Diff diff =
        diff_of(Source{}, {.line = 27, .loops = {27, 28}, .steps = 28, .callee = "inl"});
    CHECK_FALSE(diff.has_steps);
    CHECK_THAT(text_of(diff), Contains("of different loops") && Contains("are not compared"));
    CHECK_THAT(text_of(diff), !Contains("A step of host"));
    CHECK(diff.spaces[0].totals.after.step_bytes == 0);
    std::string text;
    write_diff_json(diff, [&](std::string_view piece) { text += piece; });
    const Json json = Json::parse(text);
    CHECK(json["steps_compared"] == false);
    CHECK(json["spaces"]["host"]["change"]["steps_allocated_bytes"].is_null());
    CHECK(json["spaces"]["host"]["before"]["steps_allocations"].is_null());
}

TEST_CASE("step_match: beside another loop, what the steps allocate tells the loop") {
    CHECK(diff_of(Source{}, {.line = 27, .loops = {20, 27}, .steps = 27}).has_steps);
    const Source other{
        .line = 21, .loops = {20, 21}, .steps = 20, .function = "main", .callee = "other"};
    CHECK(diff_of(Source{}, other).has_steps);  // One of two call sites is the same.
}

TEST_CASE("step_match: a loop of another function is another loop") {
    CHECK_FALSE(diff_of(Source{}, {.function = "train"}).has_steps);
}

TEST_CASE("step_match: marks are the same by their names, and never a loop") {
    Story before = story_of({}), after = story_of({});
    const auto mark = [](Story& story, const char* name) {
        story.recording.model.slices.is_found = false;
        story.recording.model.slices.step = name;
    };
    mark(before, "step #");
    CHECK_FALSE(diff_of(before, after).has_steps);
    mark(after, "epoch #");
    CHECK_FALSE(diff_of(before, after).has_steps);
    mark(after, "step #");
    CHECK(diff_of(before, after).has_steps);
}
