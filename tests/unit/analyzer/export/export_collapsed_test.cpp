// SPDX-License-Identifier: Apache-2.0
#include <sstream>
#include <string>

#include "tests/unit/analyzer/export/exports.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

struct Read {
    uint64_t sum = 0;
    std::vector<std::string> lines;
};

// Reads lines as flamegraph.pl does: the last word is the value, and a number before it would be
// another one.
Read read(const std::string& text) {
    Read found;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        found.lines.push_back(line);
        const size_t space = line.rfind(' ');
        found.sum += std::stoull(line.substr(space + 1));
        const std::string stack = line.substr(0, space);
        const size_t second = stack.rfind(' ');
        if (second == std::string::npos) continue;
        CHECK(stack.find_first_not_of("0123456789.", second + 1) != std::string::npos);
    }
    return found;
}

}  // namespace

TEST_CASE("collapsed: a line for each stack, the space first") {
    const Read found = read(exported(training().recording, "collapsed"));
    REQUIRE(found.lines.size() == 3);
    CHECK(found.lines[0] ==
          "host;main (src/train.cpp:90);train_step (src/train.cpp:17);"
          "Model::make_tensor (model/tensor.cpp:42) 209715200");
    CHECK(found.sum == training().recording.model.spaces[0].totals.at_peak_bytes);
}

TEST_CASE("collapsed: each measure adds up to the space's") {
    const Story story = training();
    const Totals& totals = story.recording.model.spaces[0].totals;
    const auto sum = [&](ExportMeasure measure) {
        return read(exported(story.recording, "collapsed", measure)).sum;
    };
    CHECK(sum(ExportMeasure::held) == totals.live_bytes);
    CHECK(sum(ExportMeasure::allocated) == totals.allocated_bytes);
    CHECK(sum(ExportMeasure::calls) == totals.allocations);
}

TEST_CASE("collapsed: held is what was held when the work ended, if that is not the end") {
    Story story = training();
    story.recording.model.process.work_end_ns = 5;
    Space& space = story.space("host");
    Site site = space.sites[0];
    site.totals.held_bytes = 4096;
    site.totals.held_blocks = 1;
    space.sites.set(0, site);
    space.totals.held_bytes += 4096;
    space.totals.held_blocks += 1;
    CHECK(read(exported(story.recording, "collapsed", ExportMeasure::held)).sum ==
          space.totals.held_bytes);
}

TEST_CASE("collapsed: hostile names end no frame, no line and no number") {
    const Story story = hostile_story();
    const std::string text = exported(story.recording, "collapsed");
    const Read found = read(text);
    CHECK(found.sum == story.recording.model.spaces[0].totals.at_peak_bytes);
    CHECK(found.lines.size() == 1 + std::size(hostile_names));
    for (const std::string& line : found.lines) {
        CHECK(std::count(line.begin(), line.end(), ';') <= 2);
        CHECK(line.size() < 5000);
    }
    CHECK(text.find('\033') == std::string::npos);
}

TEST_CASE("collapsed: a frame without a file that ends in a number is no second value") {
    Story story;
    story.site("host", story.stack({"operator new 12", "main"}), 1, 5);
    story.site("host", story.stack({"f 1.5", "main"}), 1, 5);
    CHECK(read(exported(story.recording, "collapsed")).sum == 10);
}

TEST_CASE("collapsed: nothing that was allocated gives an empty file") {
    CHECK(exported(Story().recording, "collapsed").empty());
}
