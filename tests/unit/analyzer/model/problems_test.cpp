// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/problems.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("problems: only what could not be read may have had events that nobody counted") {
    Problems problems;
    problems.damage("lost", "The recording lost 7 events.");
    problems.damage("stopped", "The recording stopped.");
    problems.damage("no ring", "Lane 1 has no ring in the file.");
    CHECK(problems.damaged());
    CHECK_FALSE(problems.has_unread());
    problems.damage("truncated", "The file ends at byte 4096.", 4096, 100);
    CHECK(problems.has_unread());
}

TEST_CASE("problems: of each kind the first are kept, and the others are summed") {
    Problems problems;
    for (uint64_t i = 0; i < Problems::kept_per_kind + 5; ++i)
        problems.damage("chunk", "A chunk is damaged.", i * 10, 10);
    problems.remark("names", "A name is missing.");
    CHECK(problems.list().size() == Problems::kept_per_kind + 1);
    CHECK(problems.remarks().size() == 1);
}
