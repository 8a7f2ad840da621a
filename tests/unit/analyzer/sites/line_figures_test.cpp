// SPDX-License-Identifier: Apache-2.0
//
// Memory requested by a line and memory allocated through it, and the choice of the file.
#include "analyzer/sites/line_figures.h"

#include "analyzer/base/error.h"
#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

// Returns for example "41: 200/300  90: 0/300": bytes at the peak, self and total.
std::string figures(const Story& story, const std::string& file) {
    const FileFigures found =
        figures_of(story.recording.model.spaces[0], story.recording.symbols, file);
    std::string text;
    for (const auto& [line, of_line] : found.lines) {
        text += std::to_string(line) + ": " + std::to_string(of_line.self.at_peak_bytes) + "/" +
                std::to_string(of_line.total.at_peak_bytes) + "  ";
    }
    return text + "all " + std::to_string(found.totals.at_peak_bytes);
}

std::string refusal(const Story& story, const std::string& wanted) {
    try {
        return find_source(story.recording.symbols, wanted);
    } catch (const Error& error) {
        return error.what();
    }
}

}  // namespace

TEST_CASE("self is the innermost line of the file, whoever did the work") {
    Story story;
    story.site("host", story.stack({"py:pad lib.py:5", "py:step t.py:41", "py:main t.py:90"}), 1,
               200);
    story.site("host", story.stack({"make", "py:step t.py:42", "py:main t.py:90"}), 1, 100);
    story.site("host", story.stack({"py:main t.py:90"}), 1, 7);
    story.site("host", story.stack({"py:pad lib.py:5"}), 1, 1);
    CHECK(figures(story, "t.py") == "41: 200/200  42: 100/100  90: 7/307  all 307");
    CHECK(figures(story, "lib.py") == "5: 201/201  all 201");
}

TEST_CASE("a line that a stack passes many times counts once") {
    Story story;
    story.site("host",
               story.stack({"py:walk t.py:3", "py:walk t.py:5", "py:walk t.py:5", "py:walk t.py:3",
                            "py:main t.py:9"}),
               1, 10);
    CHECK(figures(story, "t.py") == "3: 10/10  5: 0/10  9: 0/10  all 10");
}

TEST_CASE("the sum of self is all that comes through the file") {
    const Story story = python_training();
    const FileFigures found =
        figures_of(story.recording.model.spaces[0], story.recording.symbols, "/src/train.py");
    Totals sum;
    for (const auto& [line, of_line] : found.lines) add(sum, of_line.self);
    CHECK(sum.allocations == found.totals.allocations);
    CHECK(sum.live_bytes == found.totals.live_bytes);
    CHECK(found.totals.allocations == 12);
}

TEST_CASE("a file is named by its path or the end of it") {
    Story story;
    story.stack({"py:f /a/net/init.py:1", "py:f /b/net/init.py:1", "py:f train.py:1",
                 "py:f /a/other.py:1", "draw src/draw.cpp:3"});
    const auto source = [&](const char* wanted) {
        return find_source(story.recording.symbols, wanted);
    };
    CHECK(source("/a/net/init.py") == "/a/net/init.py");
    CHECK(source("a/net/init.py") == "/a/net/init.py");
    CHECK(source("other.py") == "/a/other.py");
    CHECK(source("./train.py") == "train.py");
    CHECK(source("/home/me/train.py") == "train.py");  // recorded as typed
    CHECK(source("draw.cpp") == "src/draw.cpp");
    CHECK_THAT(refusal(story, "init.py"),
               Contains("several files") && Contains("/a/net/init.py, /b/net/init.py"));
    CHECK_THAT(refusal(story, "nit.py"), Contains("no call stack comes through"));
    CHECK_THAT(refusal(story, "missing.py"), Contains("/a/net/init.py"));
    CHECK_THAT(refusal(Story(), "train.py"), Contains("no lines of Python"));
}

TEST_CASE("what went backward is told once more, by the line that went forward") {
    const Story story = backward_training();
    const auto found = [&](const char* file) {
        return figures_of(story.recording.model.spaces[0], story.recording.symbols, file);
    };
    const FileFigures net = found("/src/net.py");
    CHECK(net.lines.at(42).backward.allocated_bytes == 5000);
    CHECK(net.lines.at(42).self.allocated_bytes == 400);
    CHECK(net.totals.allocated_bytes == 400);
    CHECK(net.backward.allocated_bytes == 5000);
    const FileFigures train = found("/src/train.py");
    CHECK(train.lines.at(7).backward.allocated_bytes == 5000);
    CHECK(train.lines.at(8).backward.allocated_bytes == 0);
    // The blocks of the thread have no Python line.
    CHECK(train.lines.at(8).self.allocated_bytes == 3000);
    CHECK(train.totals.allocated_bytes == 3400);
}

TEST_CASE("what was made backward counts for what went forward first") {
    Story story;
    const uint32_t forward = story.stack({"py:f net.py:42", "py:main t.py:7"});
    const uint32_t call = story.stack({"Engine::evaluate_function", "py:main t.py:8"});
    const uint32_t made =
        story.backward({"at::mul"}, "MulBackward0", "py:f net.py:42", forward, call);
    const uint32_t again = story.stack({"Engine::evaluate_function", "py:main t.py:9"});
    story.site("host", story.backward({"at::mm"}, "MmBackward0", "py:f net.py:42", made, again), 1,
               30);
    const auto bytes = [&](const char* file, uint32_t line) {
        return figures_of(story.recording.model.spaces[0], story.recording.symbols, file)
            .lines[line]
            .backward.allocated_bytes;
    };
    CHECK(bytes("net.py", 42) == 30);
    CHECK(bytes("t.py", 7) == 30);
    CHECK(bytes("t.py", 8) == 0);
}
