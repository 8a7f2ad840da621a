// SPDX-License-Identifier: Apache-2.0
#include "analyzer/base/wildcards.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("a pattern matches the whole text, with stars and question marks") {
    CHECK(matches_wildcards("m?lloc", "malloc"));
    CHECK(matches_wildcards("*lib*.so*", "/usr/lib/libx.so.1"));
    CHECK_FALSE(matches_wildcards("alloc", "malloc"));
    CHECK(matches_wildcards("*", ""));
    CHECK_FALSE(matches_wildcards("?", ""));
    CHECK(matches_wildcards("*a*b", "aab b"));
}

TEST_CASE("without question marks they stand for themselves") {
    CHECK(matches_stars("m?l*", "m?lloc"));
    CHECK_FALSE(matches_stars("m?lloc", "malloc"));
}
