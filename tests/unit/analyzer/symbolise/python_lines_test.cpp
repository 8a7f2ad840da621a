// SPDX-License-Identifier: Apache-2.0
//
// Tables of real interpreters (fixtures/python_lines.txt, written by fixtures/python_lines.py) give
// the lines and columns that these interpreters report. Damaged tables give no line and no crash.
#include "analyzer/symbolise/python_lines.h"

#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include "analyzer/base/enum_names.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using memtrace::python_position_max;
using memtrace::PythonLinesFormat;

namespace {

struct Golden {
    std::string python;  // version
    PythonCodeInfo code;
    std::vector<PythonPlace> places;  // of each instruction unit
};

std::string from_hex(const std::string& hex) {
    std::string bytes;
    for (size_t i = 0; i + 1 < hex.size(); i += 2) {
        bytes.push_back(static_cast<char>(std::stoul(hex.substr(i, 2), nullptr, 16)));
    }
    return bytes;
}

std::vector<Golden> read_golden() {
    const std::string source = MEMTRACE_FIXTURE_SOURCE;
    std::ifstream file(source.substr(0, source.rfind('/')) + "/python_lines.txt");
    REQUIRE(file);
    std::vector<Golden> result;
    std::string python;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string word, format, table;
        words >> word;
        if (word == "python") {
            words >> python;
        } else if (word == "code") {
            Golden& golden = result.emplace_back();
            golden.python = python;
            words >> golden.code.name >> format >> golden.code.first_line >> table;
            golden.code.lines_format = from_word<PythonLinesFormat>(format).value();
            golden.code.lines = from_hex(table);
            golden.code.lines_whole = true;
        } else {
            PythonPlace place;
            words >> place.line >> place.end_line >> place.column >> place.end_column;
            result.back().places.insert(result.back().places.end(), std::stoul(word), place);
        }
    }
    return result;
}

PythonCodeInfo code_of(PythonLinesFormat format, std::string table, uint64_t first_line = 10) {
    PythonCodeInfo code;
    code.first_line = first_line;
    code.lines = std::move(table);
    code.lines_whole = true;
    code.lines_format = format;
    return code;
}

// Returns the lines of the first units as text.
std::string lines_of(const PythonCodeInfo& code, uint32_t units) {
    const PythonLineTable table(code);
    std::string text;
    for (uint32_t i = 1; i <= units; ++i) text += std::to_string(table.find(i).line) + " ";
    return text;
}

}  // namespace

TEST_CASE("every instruction has the place that its interpreter says") {
    const std::vector<Golden> all = read_golden();
    std::map<std::string, size_t> instructions;
    for (const Golden& golden : all) {
        INFO(golden.python << " " << golden.code.name << " line " << golden.code.first_line);
        const PythonLineTable table(golden.code);
        CHECK(table.find(0).line == golden.code.first_line);
        size_t wrong = 0;
        for (uint32_t i = 0; i < golden.places.size(); ++i) {
            wrong += table.find(i + 1) != golden.places[i];
            // The beginning of a table is enough for the places in it.
            const PythonLineTable part(golden.code, i + 1);
            wrong += part.find(i + 1) != golden.places[i];
            wrong += part.find(i / 2 + 1) != golden.places[i / 2];
        }
        CHECK(wrong == 0);
        instructions[golden.python] += golden.places.size();
    }
    CHECK(instructions.size() == 6);
    for (const auto& [python, count] : instructions) CHECK(count > 400);
}

TEST_CASE("what is cut off has no line, and what is before it has the right one") {
    for (const Golden& golden : read_golden()) {
        for (size_t size = 0; size < golden.code.lines.size(); size += 1 + size / 8) {
            PythonCodeInfo code = golden.code;
            code.lines.resize(size);
            code.lines_whole = false;
            const PythonLineTable table(code);
            size_t wrong = 0, known = 0;
            for (uint32_t i = 0; i < golden.places.size(); ++i) {
                const PythonPlace place = table.find(i + 1);
                known += place.line != 0;
                wrong += place.line != 0 && place != golden.places[i];
            }
            INFO(golden.python << " " << golden.code.name << " " << size);
            CHECK(wrong == 0);
            if (size == 0) CHECK(known == 0);
        }
    }
}

TEST_CASE("bytes by chance are read without harm") {
    std::mt19937 random(21);
    const std::vector<Golden> all = read_golden();
    uint64_t sum = 0;
    for (int round = 0; round < 30'000; ++round) {
        PythonCodeInfo code = all[random() % all.size()].code;
        code.lines_format = static_cast<PythonLinesFormat>(random() % 4);
        code.lines_whole = random() % 2 != 0;
        if (random() % 4 == 0) code.first_line = uint64_t{random()} << random() % 33;
        if (random() % 2 == 0) {
            code.lines.resize(random() % 40);
            for (char& byte : code.lines) byte = static_cast<char>(random());
        } else if (!code.lines.empty()) {
            for (int i = 0; i < 3; ++i) {
                code.lines[random() % code.lines.size()] ^= 1 << random() % 8;
            }
        }
        const PythonLineTable table(code);
        for (const uint32_t position : {0u, 1u, 2u, 77u, 5000u, python_position_max - 1}) {
            const PythonPlace place = table.find(position);
            CHECK(place.line <= INT32_MAX);
            sum += place.line + place.end_line + place.column + place.end_column;
        }
    }
    CHECK(sum != 0);
}

TEST_CASE("lines that cannot be are none") {
    using Format = PythonLinesFormat;
    CHECK(lines_of(code_of(Format::lnotab, "\x02\x01\x02\x80\x02\x7f"), 5) == "10 11 0 10 10 ");
    CHECK(lines_of(code_of(Format::ranges, "\x02\x01\x02\x80\x04\xff"), 5) == "11 0 10 10 0 ");
    CHECK(lines_of(code_of(Format::locations, "\xe8\x02\xf8\xe8\x03"), 4) == "11 0 10 0 ");
    // An entry without a beginning, one that ends too early, and a number without an end.
    CHECK(lines_of(code_of(Format::locations, std::string("\xe8\x02\x68\x02", 4)), 2) == "11 0 ");
    CHECK(lines_of(code_of(Format::locations, "\xe8\x02\xf0\x02\x02"), 2) == "11 0 ");
    const std::string endless = "\xe8\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x01";
    CHECK(lines_of(code_of(Format::locations, endless), 2) == "0 0 ");
    CHECK(lines_of(code_of(Format::lnotab, "", 1ull << 60), 1) == "0 ");
    CHECK(lines_of(code_of(static_cast<Format>(9), "\x02\x01"), 1) == "0 ");
    CHECK(PythonLineTable(code_of(Format::lnotab, "")).find(python_position_max).line == 0);
}
