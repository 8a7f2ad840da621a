// SPDX-License-Identifier: Apache-2.0
#include "analyzer/phases/mark_ranges.h"

#include <string>

#include "tests/unit/test.h"

using memtrace::MarkKind;
using namespace memtrace::analyzer;

namespace {

// Marks one nanosecond apart: "+a" begins a range, "-a" ends it, "-" ends without a name.
Model model_of(const std::vector<std::string>& marks) {
    Model model;
    for (const std::string& mark : marks) {
        const MarkKind kind = mark[0] == '+'   ? MarkKind::begin
                              : mark[0] == '-' ? MarkKind::end
                                               : MarkKind::mark;
        model.marks.push_back({model.marks.size(), kind, mark.substr(1)});
    }
    return model;
}

// "a 0-3 (0)": a range with its begin, end and depth.
std::string text_of(const std::vector<MarkRange>& ranges) {
    std::string text;
    for (const MarkRange& range : ranges) {
        text += (text.empty() ? "" : ", ") + std::string(range.name) + " " +
                std::to_string(range.begin_ns) + "-" +
                (range.end_ns ? std::to_string(*range.end_ns) : "") + " (" +
                std::to_string(range.depth) + ")";
    }
    return text;
}

std::string ranges_text(const std::vector<std::string>& marks) {
    const Model model = model_of(marks);
    return text_of(ranges_of_marks(model).ranges);
}

}  // namespace

TEST_CASE("mark ranges: an end belongs to the last begin of its name") {
    CHECK(ranges_text({}).empty());
    CHECK(ranges_text({"+a", "+b", "-b", "-a"}) == "a 0-3 (0), b 1-2 (1)");
    CHECK(ranges_text({"+a", "+b", "-a", "-b"}) == "a 0-2 (0), b 1-3 (1)");
    CHECK(ranges_text({"+a", "+a", "-a", "-a"}) == "a 0-3 (0), a 1-2 (1)");
    CHECK(ranges_text({"-a", "!m", "+a", "-b", "-a", "-a", "+a"}) == "a 2-4 (0), a 6- (0)");
    CHECK(ranges_text({"-", "+a", "+b", "-", "-", "-"}) == "a 1-4 (0), b 2-3 (1)");
}

TEST_CASE("mark ranges: without all marks, nobody knows when an open range ended") {
    Model model = model_of({"+a", "+b", "-b"});
    model.notes.push_back({"marks", "3 begins, ends and marks are listed of 4"});
    const MarkRanges found = ranges_of_marks(model);
    CHECK(text_of(found.ranges) == "b 1-2 (1)");
    CHECK(found.without_end == 1);
}

TEST_CASE("mark ranges: of many, the longest stay whole") {
    std::vector<std::string> marks{"+warm-up"};
    for (int i = 0; i < 800; ++i) {
        marks.push_back("+batch " + std::to_string(i));
        marks.push_back("-batch " + std::to_string(i));
    }
    for (const char* const mark : {"-warm-up", "+serve", "!", "!", "!", "-serve"})
        marks.emplace_back(mark);
    const Model model = model_of(marks);
    const std::vector<MarkRange> ranges = ranges_of_marks(model).ranges;
    REQUIRE(ranges.size() == 802);
    const auto longest = longest_ranges(ranges, 3, 10'000);
    CHECK(text_of(longest) == "warm-up 0-1601 (0), batch 0 1-2 (1), serve 1602-1606 (0)");
    CHECK(longest_ranges(ranges, 802, 10'000).size() == 802);
    CHECK(longest_ranges(ranges, 0, 10'000).empty());
}

TEST_CASE("mark ranges: an open range lasts to the end, and the outer of equal ones comes first") {
    const Model model = model_of({"+a", "-a", "+b", "+c", "!", "-c", "+d", "-d"});
    const std::vector<MarkRange> ranges = ranges_of_marks(model).ranges;
    CHECK(text_of(longest_ranges(ranges, 2, 100)) == "b 2- (0), c 3-5 (1)");
    const Model nested = model_of({"+a", "+b", "-b", "-a"});
    std::vector<MarkRange> equal = ranges_of_marks(nested).ranges;
    equal[0].end_ns = 1;
    CHECK(text_of(longest_ranges(equal, 1, 100)) == "a 0-1 (0)");
}
