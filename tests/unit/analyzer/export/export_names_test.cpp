// SPDX-License-Identifier: Apache-2.0
#include "analyzer/export/export_names.h"

#include "analyzer/base/terminal.h"
#include "analyzer/base/utf8.h"
#include "analyzer/export/export_stacks.h"
#include "tests/unit/analyzer/export/exports.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

ExportName name_of(Frame frame) {
    Symbols symbols;
    symbols.frames.push_back(std::move(frame));
    return export_name(symbols, 0);
}

}  // namespace

TEST_CASE("exported names: a C++ function has its short name and its whole one") {
    const ExportName name =
        name_of(frame_of("std::vector<int, std::allocator<int> >::push_back(int const&)",
                         "/usr/include/vector", 12, "/app/train", FrameKind::inlined));
    CHECK(name.name == "std::vector<int>::push_back");
    CHECK(name.full_name == "std::vector<int, std::allocator<int> >::push_back(int const&)");
    CHECK(name.file == "/usr/include/vector");
    CHECK(name.line == 12);
    CHECK(name.module == "/app/train");
}

TEST_CASE("exported names: a function of Python keeps its name, brackets and all") {
    CHECK(name_of(frame_of("f.<locals>.<lambda>", "a.py", 3, "", FrameKind::python)).name ==
          "f.<locals>.<lambda>");
}

TEST_CASE("exported names: the code of a module has its file where names stand alone") {
    const ExportName name =
        name_of(frame_of("<module>", "/lib/torch/__init__.py", 3, "", FrameKind::python));
    CHECK(name.name == "<module>");
    CHECK(unique_name(name) == "<module> (torch/__init__.py)");
    CHECK(unique_name(name_of(frame_of("f", "a.py", 3, "", FrameKind::python))) == "f");
}

TEST_CASE("exported names: a backward frame names the line that went forward") {
    Frame frame = frame_of("Net.forward", "net.py", 42, "", FrameKind::backward);
    frame.operation = "AddmmBackward0";
    CHECK(name_of(frame).name == "backward of Net.forward (AddmmBackward0)");
}

TEST_CASE("exported names: no stack, and what is below --min, have names, too") {
    CHECK(export_name({}, no_frame).name == "[no stack was recorded]");
    CHECK(export_name({}, small_frame).name == "[below --min]");
    CHECK(export_name({}, 5).name.empty());
}

TEST_CASE("exported names: hostile ones are short, in UTF-8, and without control characters") {
    for (const FrameKind kind : {FrameKind::python, FrameKind::native, FrameKind::group}) {
        for (const std::string& text : hostile_names) {
            const ExportName name = name_of(frame_of(text, text, 1, text, kind));
            CHECK_FALSE(name.name.empty());
            for (const std::string& part : {name.name, name.full_name, name.file}) {
                CHECK(part == printable(part));
                CHECK(part == valid_utf8(part));
                CHECK(display_width(part) <= export_name_max);
            }
        }
    }
}
