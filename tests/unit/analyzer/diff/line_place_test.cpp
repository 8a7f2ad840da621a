// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diff/line_place.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

StackTree program(const std::string& build_id) {
    StackTree stacks;
    stacks.modules[1] = {0x1000, 0x2000, 0, "/app/br", build_id};
    return stacks;
}

StackTree script(uint64_t first_line, const std::string& lines, bool lines_whole = true) {
    StackTree stacks;
    PythonCodeInfo& code = stacks.codes[1];
    code.name = "load";
    code.file = "/src/br.py";
    code.first_line = first_line;
    code.lines = lines;
    code.lines_whole = lines_whole;
    return stacks;
}

LinePlace place_of(const StackTree& stacks, const std::string& file, uint32_t line) {
    Frame frame;
    const bool is_python = file.ends_with(".py");
    frame.function = is_python ? "load" : "main";
    frame.file = file;
    frame.line = line;
    frame.module = is_python ? "" : "/app/br";
    frame.kind = is_python ? FrameKind::python : FrameKind::native;
    return LinePlaces(stacks).of(frame);
}

LinePlace native_at(const StackTree& stacks, uint32_t line) {
    return place_of(stacks, "/src/br.c", line);
}

LinePlace python_at(const StackTree& stacks, uint32_t line) {
    return place_of(stacks, "/src/br.py", line);
}

}  // namespace

TEST_CASE("line places: native code is the same if its build-id is") {
    CHECK(native_at(program("abc"), 7) == native_at(program("abc"), 7));
    CHECK(native_at(program("abc"), 7) != native_at(program("abc"), 5));
    CHECK(native_at(program("abc"), 7).code != native_at(program("xyz"), 7).code);
    CHECK(native_at(program(""), 7) == LinePlace{});
}

TEST_CASE("line places: a function of Python that moved as a whole has its places") {
    CHECK(python_at(script(10, "table"), 12) == python_at(script(30, "table"), 32));
    CHECK(python_at(script(10, "table"), 12) != python_at(script(10, "table"), 13));
    CHECK(python_at(script(10, "table"), 12).code != python_at(script(10, "edited"), 12).code);
    CHECK(python_at(script(10, "tab", false), 12) == LinePlace{});
}

TEST_CASE("line places: of two functions of one name nobody can tell which it is") {
    StackTree stacks = script(10, "table");
    stacks.codes[2] = stacks.codes[1];
    CHECK(python_at(stacks, 12).code != 0);
    stacks.codes[2].first_line = 50;
    CHECK(python_at(stacks, 12) == LinePlace{});
}

TEST_CASE("line places: a file that was replaced while the program ran has none") {
    StackTree stacks = program("abc");
    stacks.modules[2] = {0x5000, 0x6000, 0, "/app/br", "xyz"};
    CHECK(native_at(stacks, 7) == LinePlace{});
}
