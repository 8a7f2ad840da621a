// SPDX-License-Identifier: Apache-2.0
//
// Code objects are assembled from their records, in any order.
#include "analyzer/replay/python_codes.h"

#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using memtrace::test::load_story;

TEST_CASE("a line table comes in pieces, also before its code") {
    const Model model = load_story(R"(
        python_lines lane=0 time=1 code=1 offset=2 bytes="cd" whole=5
        python_lines lane=1 time=2 code=1 offset=0 bytes="ab" whole=5
        python_code lane=0 time=3 id=1 lines_format=locations first_line=7 name="f" file="a.py"
        python_lines lane=0 time=4 code=1 offset=4 bytes="e" whole=5
        python_code lane=0 time=5 id=2 name="f\xf6" name_kind=1 file="a\x00.\x00" file_kind=2
        python_lines lane=0 time=6 code=9 offset=0 bytes="of nobody"
    )");
    REQUIRE(model.stacks.codes.size() == 2);
    const PythonCodeInfo& code = model.stacks.codes.at(1);
    CHECK(code.name == "f");
    CHECK(code.file == "a.py");
    CHECK(code.first_line == 7);
    CHECK(code.lines_format == memtrace::PythonLinesFormat::locations);
    CHECK(code.lines == "abcde");
    CHECK(code.lines_whole);
    CHECK(model.stacks.codes.at(2).name == "fö");
    CHECK(model.stacks.codes.at(2).file == "a.");
    CHECK(model.stacks.codes.at(2).lines_whole);  // An empty table needs no record.
    CHECK_FALSE(model.damaged);
}

TEST_CASE("what is behind a missing piece says nothing") {
    const Model model = load_story(R"(
        python_code lane=0 time=1 id=1
        python_lines lane=0 time=2 code=1 offset=0 bytes="ab" whole=6
        python_lines lane=0 time=2 code=1 offset=4 bytes="ef" whole=6
        python_code lane=0 time=1 id=2
        python_lines lane=0 time=2 code=2 offset=0 bytes="ab"
        python_lines lane=0 time=2 code=2 offset=3 bytes="d"
        python_code lane=0 time=1 id=3
        python_lines lane=0 time=2 code=3 offset=0 bytes="ab"
    )");
    CHECK(model.stacks.codes.at(1).lines == "ab");
    CHECK_FALSE(model.stacks.codes.at(1).lines_whole);
    CHECK(model.stacks.codes.at(2).lines == "ab");
    CHECK_FALSE(model.stacks.codes.at(2).lines_whole);
    CHECK(model.stacks.codes.at(3).lines_whole);
}

TEST_CASE("the address of a python node is its code and its position") {
    using namespace memtrace;
    const uint64_t address = python_address(3, 41);
    CHECK(address == ((3u << 20) | 41));
    CHECK(python_code_of(address) == 3);
    CHECK(python_position_of(address) == 41);
    const uint64_t far = python_address(0xffffffff, uint64_t{1} << 40);
    CHECK(python_code_of(far) == 0xffffffff);
    CHECK(python_position_of(far) == python_position_max);
}
