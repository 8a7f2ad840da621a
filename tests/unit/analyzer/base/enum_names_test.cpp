// SPDX-License-Identifier: Apache-2.0
//
// Enums convert to words and back. Values of future dumps have no word.
#include "analyzer/base/enum_names.h"

#include <algorithm>

#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using memtrace::Cut;
using memtrace::NodeKind;

TEST_CASE("a word leads back to its value; newer values and other words lead nowhere") {
    CHECK(word_of(NodeKind::guessed) == "guessed");
    CHECK(from_word<NodeKind>("guessed") == NodeKind::guessed);
    CHECK(word_of(static_cast<NodeKind>(200)).empty());
    CHECK(from_word<NodeKind>("Guessed") == std::nullopt);
    CHECK(reason_of(static_cast<Cut>(200)) == "for a reason that this version does not know");
}

TEST_CASE("every reason for a cut has a word, and a sentence that is its own") {
    for (const auto& [cut, word] : words_of<Cut>) {
        INFO(word);
        CHECK(from_word<Cut>(word) == cut);
        const auto reason = reason_of(cut);
        const auto same = [reason](const auto& row) { return row.second == reason; };
        CHECK(std::count_if(reasons_of_cuts.begin(), reasons_of_cuts.end(), same) == 1);
    }
    CHECK(std::size(reasons_of_cuts) == std::size(words_of<Cut>));
}
