// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/site_groups.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("each group has a stack number that no dump has, and a name") {
    for (uint32_t number = 1; number < group_count; ++number) {
        const auto group = static_cast<Group>(number);
        CHECK(stack_of(group) > 0xfffffff0);
        CHECK(group_of(stack_of(group)) == group);
        CHECK_FALSE(name_of(group).empty());
    }
    CHECK(group_of(0) == Group::none);
    CHECK(group_of(1) == Group::none);
    CHECK(group_of(0xffffffff) == Group::none);
    CHECK(group_of(0xffffffff - group_count) == Group::none);
}
