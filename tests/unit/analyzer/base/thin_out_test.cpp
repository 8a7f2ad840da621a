// SPDX-License-Identifier: Apache-2.0
#include "analyzer/base/thin_out.h"

#include <utility>

#include "tests/unit/test.h"

using memtrace::analyzer::thin_out;

TEST_CASE("of four in a row the lowest and the highest stay, in their order") {
    std::vector<int> list{7, 3, 5, 4, 9, 8, 7, 9, 8, 2, 1};
    thin_out(
        list, [](int) { return 0; }, [](int value) { return value; });
    CHECK(list == std::vector<int>{7, 3, 9, 7, 9, 2, 1});
}

TEST_CASE("measurements of another kind are another row") {
    std::vector<std::pair<int, int>> list;
    for (int i = 0; i < 10; ++i) list.push_back({i % 2, i});
    thin_out(
        list, [](const auto& one) { return one.first; },
        [](const auto& one) { return one.second; });
    const std::vector<std::pair<int, int>> wanted{{0, 0}, {1, 1}, {0, 2}, {1, 7}, {0, 8}, {1, 9}};
    CHECK(list == wanted);
}

TEST_CASE("a short list stays as it is") {
    std::vector<int> none, few{1, 2, 3};
    const auto value = [](int of) { return of; };
    thin_out(none, value, value);
    thin_out(few, value, value);
    CHECK(none.empty());
    CHECK(few == std::vector<int>{1, 2, 3});
}
