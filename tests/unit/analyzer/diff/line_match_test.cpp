// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diff/line_match.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

DiffLine line(std::vector<uint64_t> site_keys, uint64_t bytes, uint64_t calls = 1) {
    DiffFigures figures;
    figures.allocated_bytes = bytes;
    figures.allocations = calls;
    return {"f (a.py)", {}, std::move(site_keys), {figures}};
}

// The same at a place of code that both recordings have.
DiffLine line_at(uint32_t number, uint64_t bytes, uint64_t code = 1) {
    DiffLine made = line({1}, bytes);
    made.place = {code, number};
    return made;
}

// "0-0 1-2 -1": pairs of indices.
std::string matched(const std::vector<DiffLine>& before, const std::vector<DiffLine>& after) {
    std::string text;
    for (const auto& [a, b] : match_lines(before, after)) {
        text += (text.empty() ? "" : " ") + (a ? std::to_string(*a) : "") + "-" +
                (b ? std::to_string(*b) : "");
    }
    return text;
}

}  // namespace

TEST_CASE("a single line on each side is the same line, whatever it takes") {
    CHECK(matched({line({1}, 10)}, {line({2}, 1'000'000, 500)}) == "0-0");
}

TEST_CASE("lines of one side only are new or gone") {
    CHECK(matched({}, {line({1}, 10), line({2}, 20)}) == "-0 -1");
    CHECK(matched({line({1}, 10)}, {}) == "0-");
    CHECK(matched({}, {}) == "");
}

TEST_CASE("a new line among others shifts them") {
    const std::vector<DiffLine> before{line({1}, 500), line({2}, 700)};
    const std::vector<DiffLine> after{line({1}, 500), line({3}, 9000, 99), line({2}, 700)};
    CHECK(matched(before, after) == "0-0 -1 1-2");
    CHECK(matched(after, before) == "0-0 1- 2-1");
}

TEST_CASE("with the same call sites below all lines, their figures tell them apart") {
    const std::vector<DiffLine> before{line({1}, 1000, 10), line({1}, 50, 5)};
    const std::vector<DiffLine> after{line({1}, 90'000, 900), line({1}, 1000, 10),
                                      line({1}, 50, 5)};
    CHECK(matched(before, after) == "-0 0-1 1-2");
}

TEST_CASE("a line that grew a hundredfold between two others is still that line") {
    const std::vector<DiffLine> before{line({1}, 10), line({2}, 20), line({3}, 30)};
    const std::vector<DiffLine> after{line({1}, 10), line({2}, 2000, 100), line({3}, 30)};
    CHECK(matched(before, after) == "0-0 1-1 2-2");
}

TEST_CASE("what has nothing in common is not matched: one line is gone, one is new") {
    const std::vector<DiffLine> before{line({1}, 10), line({2}, 20)};
    const std::vector<DiffLine> after{line({1}, 10), line({7}, 90'000, 5000)};
    CHECK(matched(before, after) == "0-0 1- -1");
}

TEST_CASE("in code that both have, another line is another line, whatever it takes") {
    CHECK(matched({line_at(7, 10)}, {line_at(5, 10)}) == "0- -0");
    CHECK(matched({line_at(5, 10), line_at(7, 20)}, {line_at(5, 20), line_at(7, 10)}) == "0-0 1-1");
    CHECK(matched({line_at(5, 10)}, {line_at(5, 10), line_at(7, 10)}) == "0-0 -1");
}

TEST_CASE("lines of edited code are matched beside those of code that both have") {
    CHECK(matched({line_at(7, 10, 2)}, {line_at(5, 10, 3)}) == "0-0");
    CHECK(matched({line_at(1, 10), line_at(7, 10, 2)}, {line_at(5, 10, 3), line_at(1, 90)}) ==
          "0-1 1-0");
}

TEST_CASE("the size of a block tells more than how often a line runs") {
    const std::vector<DiffLine> before{line({1}, 40 * 20'000, 40)};
    const std::vector<DiffLine> after{line({1}, 20 * 20'000, 20), line({1}, 20 * 60'000, 20)};
    CHECK(matched(before, after) == "0-0 -1");
}

TEST_CASE("order is kept: lines do not cross") {
    const auto pairs = match_lines(std::vector{line({1}, 10), line({2}, 20)},
                                   std::vector{line({2}, 20), line({1}, 10)});
    CHECK(pairs.size() == 3);  // One of them is matched.
}

TEST_CASE("thousands of lines of one function are matched in their order") {
    const std::vector<DiffLine> many(3000, line({1}, 10));
    CHECK(match_lines(many, many).size() == 3000);
    CHECK(match_lines(many, many).back() == LinePair{2999, 2999});
}

TEST_CASE("likeness is from 0 to 1") {
    CHECK(likeness(line({1, 2}, 10), line({1, 2}, 10)) == Approx(1));
    CHECK(likeness(line({1, 2}, 10), line({3}, 0, 0)) == Approx(0));
    CHECK(likeness(line({}, 0, 0), line({}, 0, 0)) == Approx(1));
}
