// SPDX-License-Identifier: Apache-2.0
//
// A source file with the memory figures of its lines.
#include "analyzer/report/report_lines.h"

#include <nlohmann/json.hpp>

#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/analyzer/symbolise/fixture.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

namespace {

// A file train.py in a folder, and a program that ran it.
struct Program {
    Program(const std::string& text) : file(folder.path / "train.py") {
        std::ofstream(file) << text;
        const std::string at = " " + file + ":";
        story.site("host",
                   story.stack({"libc:malloc", "py:step" + at + "2", "py:<module>" + at + "4"}), 8,
                   1 << 20, 2);
        story.site("host", story.stack({"py:<module>" + at + "4"}), 1, 100);
        story.site("mmap", story.stack({"py:<module>" + at + "1"}), 1, 4096);
    }

    std::string lines(TextOptions options = {}) const {
        std::string out;
        write_lines(out, story.recording, find_source_file(story.recording, "train.py", ""),
                    options);
        return out.substr(out.find("\nLines of"));
    }

    Folder folder;
    std::string file;
    Story story;
};

constexpr const char* source = "def step(model):\n    return model(1)\n\nstep(print)\n";

}  // namespace

TEST_CASE("lines with figures, lines without, and what all of it comes to") {
    const Program program(source);
    CHECK(program.lines() == "\nLines of " + program.file + ", host\n" +
                                 "  self: stacks whose innermost frame in this file is the line; "
                                 "through: all stacks that "
                                 "pass it,\n  each once.\n" +
                                 R"(   ----------- self ------------   ---------- through ----------
    AT PEAK     AT END     CALLS    AT PEAK     AT END     CALLS  LINE  SOURCE
                                                                     1  def step(model):
    8.0 MiB    2.0 MiB         8    8.0 MiB    2.0 MiB         8     2      return model(1)
                                                                     3
      100 B                    1    8.0 MiB    2.0 MiB         9     4  step(print)
    8.0 MiB    2.0 MiB         9)" +
                                 std::string(40, ' ') + R"(all stacks through this file
  There is more in: mmap (--space).
)");
    TextOptions options;
    options.space = "mmap";
    CHECK_THAT(program.lines(options), Contains("    4.0 KiB                    1    4.0 KiB"));
    options.space = "device:0";
    CHECK_THAT(program.lines(options), Contains(": nothing"));
}

TEST_CASE("what an interpreter takes down at its end was held by its line") {
    Program program(source);
    program.story.recording.model.process.work_end_ns = 1'000'000;
    Space& host = program.story.recording.model.spaces[0];
    Totals totals = host.sites.totals(0);
    totals.held_bytes = 3 << 20;
    totals.live_bytes = 0;
    host.sites.set_totals(0, totals);
    host.totals.held_bytes = 3 << 20;
    host.totals.live_bytes = 0;
    const std::string text = program.lines();
    CHECK_THAT(text, Contains("HELD: alive when the work ended"));
    CHECK_THAT(text, Contains("    AT PEAK       HELD     CALLS"));
    CHECK_THAT(text, Contains("    8.0 MiB    3.0 MiB         8    8.0 MiB    3.0 MiB         8"));
}

TEST_CASE("without the source, only lines that have figures") {
    const Program program(source);
    std::filesystem::remove(program.file);
    const std::string text = program.lines();
    CHECK_THAT(text, Contains("The file is not here; lines that have figures are shown."));
    CHECK_THAT(text, Contains("         8     2\n"));
    CHECK_THAT(text, !Contains("return model"));
}

TEST_CASE("a source that is newer than the recording, or shorter than it was, is said") {
    Program program("import this\n");
    program.story.recording.model.process.start_realtime_ns = 1'000'000'000;
    const std::string text = program.lines();
    CHECK_THAT(text, Contains("changed after the recording"));
    CHECK_THAT(text, Contains("     2  [not in this version]\n"));
}

TEST_CASE("the copy below --sysroot comes first") {
    const Program program(source);
    const Folder root;
    const std::string copy = std::string(root.path) + "/" + program.file;
    std::filesystem::create_directories(std::filesystem::path(copy).parent_path());
    std::ofstream(copy) << "the copy\n";
    const SourceFile found = find_source_file(program.story.recording, "train.py", root.path);
    CHECK(found.read == copy);
    CHECK(found.text == std::vector<std::string>{"the copy"});
}

TEST_CASE("in JSON all spaces, self and total") {
    const Program program(source);
    const SourceFile found = find_source_file(program.story.recording, "train.py", "");
    const auto json = nlohmann::json::parse("{" + lines_json(program.story.recording, found) + "}");
    CHECK(json["file"] == program.file);
    CHECK(json["source"] == program.file);
    REQUIRE(json["lines"].size() == 3);
    CHECK(json["lines"][1]["space"] == "host");
    CHECK(json["lines"][1]["line"] == 4);
    CHECK(json["lines"][1]["self"]["allocations"] == 1);
    CHECK(json["lines"][1]["total"]["allocations"] == 9);
    CHECK(json["lines"][2]["space"] == "mmap");
}

TEST_CASE("a third group is there where something went backward for the file") {
    const Story story = backward_training();
    std::string out;
    TextOptions options;
    options.width = 130;
    write_lines(out, story.recording, find_source_file(story.recording, "/src/net.py", "/nowhere"),
                options);
    CHECK_THAT(
        out,
        Contains(
            "   ----------- self ------------   ---------- through ----------   --------- backward "
            "----------\n"));
    CHECK_THAT(
        out,
        Contains(
            "      400 B                    1      400 B                    1    4.9 KiB           "
            "         5    42\n"));
    CHECK_THAT(out, Contains("      400 B                    1" + std::string(32, ' ') +
                             "    4.9 KiB                    5"));
    const auto json = nlohmann::json::parse(
        "{" + lines_json(story.recording, find_source_file(story.recording, "/src/net.py", "")) +
        "}");
    CHECK(json["lines"][0]["backward"]["allocated_bytes"] == 5000);
}
