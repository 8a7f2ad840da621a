// SPDX-License-Identifier: Apache-2.0
#include "analyzer/phases/nearest_word.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("edits are insertions, removals, replacements and swaps") {
    CHECK(edits_between("doctor", "doctor") == 0);
    CHECK(edits_between("Doctor", "doctor") == 0);
    CHECK(edits_between("docter", "doctor") == 1);
    CHECK(edits_between("docotr", "doctor") == 1);
    CHECK(edits_between("", "top") == 3);
    CHECK(edits_between("top", "") == 3);
    CHECK(edits_between("kitten", "sitting") == 3);
}

TEST_CASE("a word that was meant is near, and one that is far is no guess") {
    const std::vector<std::string> words{"summary", "leaks", "peak", "top", "doctor"};
    CHECK(meant_word("docter", words) == "doctor");
    CHECK(meant_word("leeks", words) == "leaks");
    CHECK(meant_word("sumary", words) == "summary");
    CHECK(meant_word("tpo", words) == "top");
    CHECK(meant_word("banana", words).empty());
    CHECK(meant_word("x", words).empty());
    CHECK(meant_word("", words).empty());
}
