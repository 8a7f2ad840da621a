// SPDX-License-Identifier: Apache-2.0
#include "preload/python/python_codes.h"

#include <set>
#include <string>
#include <vector>

#include "tests/unit/preload/python/made_python.h"
#include "tests/unit/test.h"

using namespace memtrace::preload;
using memtrace::test::MadePython;

namespace {

struct Defined {
    uint32_t id;
    uint32_t first_line;
    uint32_t lines_length;
    std::string name;
    std::string file;
};

std::string text_of(const PythonText& text) {
    return {reinterpret_cast<const char*>(text.bytes), text.length};
}

void define(void* context, const PythonCodeText& text) {
    static_cast<std::vector<Defined>*>(context)->push_back(
        {text.id, text.first_line, text.lines_length, text_of(text.name), text_of(text.file)});
}

}  // namespace

TEST_CASE("a code object is described once, before it has a number", "[python_codes]") {
    for (const uint32_t minor : {8u, 10u, 11u, 12u}) {
        MadePython made(minor);
        std::vector<Defined> defined;
        const uint64_t code = made.code("train", "train.py");
        const uint32_t id = python_code_id(code, define, &defined);
        CHECK(id != no_python_code);
        CHECK(python_code_id(code, define, &defined) == id);
        CHECK(python_code_id(made.code("other", "train.py"), define, &defined) != id);
        REQUIRE(defined.size() == 2);
        CHECK(defined[0].id == id);
        CHECK(defined[0].name == "train");
        CHECK(defined[0].file == "train.py");
        CHECK(defined[0].first_line == 17);
        CHECK(defined[0].lines_length == 10);
    }
}

TEST_CASE("what is no code object has no number", "[python_codes]") {
    MadePython made(12);
    std::vector<Defined> defined;
    CHECK(python_code_id(made.string("text"), define, &defined) == no_python_code);
    CHECK(python_code_id(0, define, &defined) == no_python_code);
    CHECK(python_code_id(made.code("a", "b") + 1, define, &defined) == no_python_code);
    CHECK(defined.empty());
}

TEST_CASE("a name that is no plain string is empty, a long one is cut", "[python_codes]") {
    MadePython made(12);
    std::vector<Defined> defined;
    const uint64_t code = made.code(std::string(5000, 'n'), "f");
    made.put(code + made.layout.code_file, made.bytes(4));
    CHECK(python_code_id(code, define, &defined) != no_python_code);
    REQUIRE(defined.size() == 1);
    CHECK(defined[0].name == std::string(PythonText::bytes_max, 'n'));
    CHECK(defined[0].file.empty());
}

TEST_CASE("another code object at the same address has another number", "[python_codes]") {
    MadePython made(12);
    std::vector<Defined> defined;
    const uint64_t code = made.code("first", "f");
    const uint32_t first = python_code_id(code, define, &defined);
    SECTION("its contents tell") {
        made.code("second", "f", code);
        CHECK(python_code_id(code, define, &defined) != first);
        CHECK(defined.back().name == "second");
    }
    SECTION("that it was freed tells") {
        begin_freeing_python_code(code);
        CHECK(python_code_id(code, define, &defined) == no_python_code);
        end_freeing_python_code(code);
        CHECK(python_code_id(code, define, &defined) == first);  // It has the same texts.
        made.code("third", "f", code);
        CHECK(python_code_id(code, define, &defined) != first);
    }
}

TEST_CASE("the table grows, and does not with what is gone", "[python_codes]") {
    MadePython made(12);
    std::vector<Defined> defined;
    std::vector<uint64_t> codes;
    std::set<uint32_t> ids;
    for (int i = 0; i < 5000; ++i) {
        codes.push_back(made.code("f" + std::to_string(i), "f"));
        ids.insert(python_code_id(codes.back(), define, &defined));
    }
    CHECK(ids.size() == codes.size());
    std::set<uint32_t> again;
    for (const uint64_t code : codes) again.insert(python_code_id(code, define, &defined));
    CHECK(again == ids);
    CHECK(defined.size() == codes.size());
    const uint64_t bytes = python_codes_bytes();
    for (int round = 0; round < 10; ++round) {
        for (const uint64_t code : codes) {
            begin_freeing_python_code(code);
            end_freeing_python_code(code);
        }
        for (const uint64_t code : codes) python_code_id(code, define, &defined);
    }
    CHECK(python_codes_bytes() <= 4 * bytes + (1 << 16));
}

TEST_CASE("positions count instructions from 1, and stop at the largest", "[python_codes]") {
    PythonLayout layout;
    find_python_layout({3, 8, true}, nullptr, layout);
    CHECK(python_position(layout, 0, static_cast<uint32_t>(-1)) == 0);
    CHECK(python_position(layout, 0, 0) == 1);
    CHECK(python_position(layout, 0, 10) == 6);
    find_python_layout({3, 10, true}, nullptr, layout);
    CHECK(python_position(layout, 0, static_cast<uint32_t>(-1)) == 0);
    CHECK(python_position(layout, 0, 10) == 11);
    find_python_layout({3, 12, true}, nullptr, layout);
    const uint64_t begin = 0x1000 + 192;
    CHECK(python_position(layout, 0x1000, begin - 2) == 0);
    CHECK(python_position(layout, 0x1000, begin) == 1);
    CHECK(python_position(layout, 0x1000, begin + 10) == 6);
    CHECK(python_position(layout, 0x1000, begin + (uint64_t{1} << 40)) == (1u << 20) - 1);
    CHECK(python_position(layout, 0x1000, 0) == 0);
    CHECK(memtrace::python_address(python_code_id_max, (1u << 20) - 1) == 0xffffffffffff);
}

TEST_CASE("a line table comes in parts", "[python_codes]") {
    const uint8_t bytes[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    PythonCodeText text;
    text.lines = bytes;
    text.lines_length = 10;
    std::vector<std::pair<uint32_t, uint32_t>> parts;
    for_each_part_of_lines(text, 4, [&](uint32_t offset, const uint8_t* part, uint32_t length) {
        CHECK(part[0] == offset);
        parts.emplace_back(offset, length);
    });
    CHECK(parts == std::vector<std::pair<uint32_t, uint32_t>>{{0, 4}, {4, 4}, {8, 2}});
}

TEST_CASE("a code object with the texts of an earlier one has its number", "[python_codes]") {
    MadePython made(12);
    std::vector<Defined> defined;
    std::set<uint32_t> ids;
    for (int round = 0; round < 100; ++round) {
        ids.insert(python_code_id(made.code("<module>", "<string>"), define, &defined));
    }
    CHECK(ids.size() == 1);
    CHECK(defined.size() == 1);
    CHECK_FALSE(ids.contains(python_code_id(made.code("<module>", "<other>"), define, &defined)));
    const uint64_t longer = made.code("<module>", "<string>");
    made.put(longer + made.layout.code_lines, made.bytes(12));
    CHECK_FALSE(ids.contains(python_code_id(longer, define, &defined)));
    forget_all_python_codes();
    defined.clear();
    python_code_id(made.code("<module>", "<string>"), define, &defined);
    CHECK(defined.size() == 1);
}
