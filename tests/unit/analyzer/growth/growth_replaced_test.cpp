// SPDX-License-Identifier: Apache-2.0
#include "analyzer/growth/growth_replaced.h"

#include <random>
#include <vector>

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

// A table of 300 blocks that one line made. Another line replaces them, or adds to them.
struct Lines {
    Curve first, second;
};

// `replaced(i)`: the place that is replaced in step i; what the second line takes in vain it gives
// back in the same step.
template <class Replaced>
Lines run_table(Replaced&& replaced, bool gives_in_vain = false) {
    constexpr int steps = 600, slices = 100;
    std::vector<int> owner(300, 0);
    Lines lines;
    double taken = 0;
    for (int i = 0; i < steps; ++i) {
        owner[static_cast<size_t>(replaced(i))] = 1;
        taken += gives_in_vain ? 2 : 1;
        if ((i + 1) % (steps / slices) != 0) continue;
        double of_second = 0;
        for (const int one : owner) of_second += one;
        for (Curve* curve : {&lines.first, &lines.second}) {
            const bool is_second = curve == &lines.second;
            const double blocks = is_second ? of_second : 300 - of_second;
            curve->at.push_back(i + 1);
            curve->blocks.push_back(blocks);
            curve->bytes.push_back(blocks * 100);
            curve->allocations.push_back(is_second ? taken : 0);
            curve->born_blocks.push_back(0);
            curve->born_bytes.push_back(0);
        }
        taken = 0;
    }
    return lines;
}

}  // namespace

TEST_CASE("growth_replaced: what replaces at random rests together, and goes ever more") {
    std::mt19937_64 random(1);
    const Lines lines = run_table([&](int) { return random() % 300; });
    CHECK(are_at_rest_together(lines.second, lines.first, 0));
    CHECK(goes_ever_more(lines.second, 0));
}

TEST_CASE("growth_replaced: of what only adds nothing goes, however much others give back") {
    const Lines lines = run_table([](int i) { return i / 2; });
    CHECK(are_at_rest_together(lines.second, lines.first, 0));
    const Lines leak = run_table([](int i) { return i / 2; }, true);
    CHECK_FALSE(goes_ever_more(leak.second, 0));
}

TEST_CASE("growth_replaced: a leak beside a table that goes is on top of it") {
    Lines lines = run_table([](int i) { return i / 2; });
    for (size_t i = 0; i < lines.first.size(); ++i)
        lines.first.blocks[i] = 100 - static_cast<double>(i);
    CHECK_FALSE(are_at_rest_together(lines.second, lines.first, 0));
}
