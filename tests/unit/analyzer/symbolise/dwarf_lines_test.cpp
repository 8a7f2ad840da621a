// SPDX-License-Identifier: Apache-2.0
//
// Lines and inlined functions, from debug information alone.
#include "analyzer/symbolise/dwarf_lines.h"

#include "tests/unit/analyzer/symbolise/fixture.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

std::vector<SourceFrame> frames_at(const std::string& path, uint64_t address) {
    std::vector<std::vector<SourceFrame>> frames(1);
    find_lines(*ElfFile::open(path), std::vector{address}, frames);
    return frames[0];
}

}  // namespace

TEST_CASE("an inlined function is inside of its caller, and each has its line") {
    const auto frames = frames_at(fixture().module.path, fixture().in_file(0) - 1);
    REQUIRE(frames.size() == 2);
    CHECK(frames[0].inlined);
    CHECK(frames[0].line == line_of("grow"));
    CHECK_FALSE(frames[1].inlined);
    CHECK(frames[1].line == line_of("draw"));
    CHECK(frames[1].mangled);
}

TEST_CASE("the debug file of a stripped library says the same") {
    const std::string debug = fixture_folder + "/debug/libfixture.so.debug";
    const auto frames = frames_at(debug, fixture().in_file(0) - 1);
    REQUIRE(frames.size() == 2);
    CHECK(frames[0].line == line_of("grow"));
}

TEST_CASE("a file without debug information says so; an address outside of it gets nothing") {
    std::vector<std::vector<SourceFrame>> frames(1);
    const auto stripped = ElfFile::open(fixture_folder + "/stripped/libfixture.so");
    CHECK_FALSE(find_lines(*stripped, std::vector{fixture().in_file(0)}, frames));
    CHECK(frames_at(fixture().module.path, 1).empty());
}

TEST_CASE("a file that was compiled by a relative path has its whole path") {
    const auto frames =
        frames_at(fixture_folder + "/relative/libfixture.so", fixture().in_file(0) - 1);
    REQUIRE(frames.size() == 2);
    CHECK(frames[0].file == MEMTRACE_FIXTURE_SOURCE);
    CHECK(frames[1].file == MEMTRACE_FIXTURE_SOURCE);
}
