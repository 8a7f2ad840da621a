// SPDX-License-Identifier: Apache-2.0
#include "analyzer/charts/plot.h"

#include <cstdlib>

#include "analyzer/base/terminal.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

std::string plot(const std::vector<Range>& values, bool utf8) {
    std::string out;
    write_plot(out, values, 16, [](uint64_t value) { return std::to_string(value); },
               {.label_width = 3, .columns = values.size(), .rows = 2, .utf8 = utf8});
    return out;
}

}  // namespace

TEST_CASE("plot: full up to the lowest, shaded up to the highest, nothing where it is unknown") {
    const std::vector<Range> values{{0, 0, true}, {8, 16, true}, {}, {1, 1, true}, {16, 16, true}};
    CHECK(plot(values, true) == " 16 ┤ ░  █\n  0 ┼ █ ▁█\n");
    CHECK(plot(values, false) == " 16 + :  #\n  0 + # .#\n");
}

TEST_CASE("plot: ticks are round, and their labels fit") {
    for (const uint64_t end :
         {5'000ull, 12'400'000'000ull, 90'000'000'000ull, 86'400'000'000'000ull}) {
        for (const size_t columns : {20u, 67u, 187u}) {
            const auto ticks = time_ticks(0, end, columns);
            CHECK_FALSE(ticks.empty());
            CHECK(ticks.size() <= columns / 8 + 2);
            std::string out;
            write_time_axis(out, ticks, {.label_width = 3, .columns = columns});
            for (size_t at = 0, next; at < out.size(); at = next + 1) {
                next = out.find('\n', at);
                CHECK(display_width(out.substr(at, next - at)) <= columns + 5);
            }
        }
    }
    CHECK(time_ticks(7, 7, 60).size() == 1);
    CHECK(time_ticks(3, ~uint64_t{0}, 80).size() < 10);
    CHECK(time_ticks(~uint64_t{0} - 70, ~uint64_t{0}, 80).size() < 10);
}

TEST_CASE("plot: a bar of something shows") {
    CHECK(bar(0, 100, 4, true).empty());
    CHECK(bar(1, 1'000'000, 4, true) == "▏");
    CHECK(bar(100, 100, 4, true) == "████");
    CHECK(bar(50, 100, 4, false) == "##");
}

TEST_CASE("plot: the locale says what is shown") {
    setenv("LC_ALL", "C.UTF-8", 1);
    CHECK(shows_utf8());
    setenv("LC_ALL", "C", 1);
    CHECK_FALSE(shows_utf8());
    unsetenv("LC_ALL");
}
