// SPDX-License-Identifier: Apache-2.0
//
// Nodes of Python become frames.
#include "analyzer/symbolise/python_names.h"

#include <map>

#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using memtrace::python_address;

namespace {

StackTree tree() {
    StackTree tree;
    tree.codes[1] = {"train_step", "/src/train.py",
                     40,           "\xe8\x02\xf8",
                     true,         memtrace::PythonLinesFormat::locations};
    tree.codes[2] = {"Net.forward",
                     "/src/net.py",
                     7,
                     std::string("\xf0\x02\x01\x05\x09", 5),
                     true,
                     memtrace::PythonLinesFormat::locations};
    return tree;
}

}  // namespace

TEST_CASE("each address of Python gets its frame once; codes that are not there are counted") {
    std::map<uint64_t, Frame> frames;
    const uint64_t unknown = name_python_frames(
        tree(),
        {python_address(2, 1), python_address(1, 1), python_address(1, 0), python_address(9, 5),
         python_address(1, 1), python_address(9, 6), ~uint64_t{0}},
        [&](uint64_t address, Frame made) { CHECK(frames.try_emplace(address, made).second); });
    CHECK(unknown == 2);
    REQUIRE(frames.size() == 6);
    const Frame& step = frames[python_address(1, 1)];
    CHECK(step.kind == FrameKind::python);
    CHECK(step.named);
    CHECK(step.function == "train_step");
    CHECK(step.file == "/src/train.py");
    CHECK(step.line == 41);
    CHECK(step.column == 0);
    CHECK(step.module.empty());
    CHECK(frames[python_address(1, 0)].line == 40);  // the function has not begun
    const Frame& forward = frames[python_address(2, 1)];
    CHECK(forward.line == 8);
    CHECK(forward.end_line == 9);
    CHECK(forward.column == 5);
    CHECK(forward.end_column == 8);
    CHECK(frames[python_address(9, 5)].function == "python code 9");
    CHECK_FALSE(frames[python_address(9, 5)].named);
}

TEST_CASE("what is not known of Python says why") {
    std::map<uint64_t, Frame> frames;
    const uint64_t unknown = name_python_frames(
        tree(), {memtrace::python_gap_address(memtrace::PythonGap::finalizing), 0, 99},
        [&](uint64_t address, Frame made) { frames.emplace(address, made); });
    CHECK(unknown == 0);
    REQUIRE(frames.size() == 3);
    const Frame& ending = frames[memtrace::python_gap_address(memtrace::PythonGap::finalizing)];
    CHECK(ending.kind == FrameKind::gap);
    CHECK(ending.function == "[not known of Python: all frames: the interpreter was ending]");
    CHECK(frames[99].function ==
          "[not known of Python: for a reason that this version does not know]");
}
