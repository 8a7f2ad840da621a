// SPDX-License-Identifier: Apache-2.0
//
// The findings of `check`, in sentences.
#include "analyzer/ci/check_sentences.h"

#include "tests/unit/analyzer/check/checks.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("a verdict says what was measured, what is allowed, and why so much") {
    const CheckResult result = leaky_change();
    CHECK(verdict_text(result.limits[0]) ==
          "390.6 KiB (400,000 bytes), limit 107.4 KiB (110,000 bytes): +10 % on 97.7 KiB before");
    CHECK(verdict_text(result.limits[1]) == "1 call site with more than 64.0 KiB");
    CHECK(verdict_text(result.limits[2]) ==
          "2 allocations, limit 100 allocations; before: 1 allocation");
}

TEST_CASE("a blamed site says what it had, as far as the baseline knows") {
    const CheckResult result = leaky_change();
    CHECK(blame_sentence(result.limits[0], result.limits[0].blamed[0]) ==
          "host leaked-bytes: leaked-bytes 293.0 KiB (before: new, or less than 16.0 KiB), by "
          "keep < main");
    Blame blame;
    CHECK(before_text(result.limits[0], blame).empty());
    blame.below = 0;
    CHECK(before_text(result.limits[0], blame) == "new");
    blame.before = Band{1024, 2048};
    CHECK(before_text(result.limits[0], blame) == "1.0 KiB to 2.0 KiB");
}

TEST_CASE("suppressions are summed up; expired and unused ones are named, defaults are not") {
    CheckResult result;
    auto found = parse_suppressions(
        "# reason: a table\nleak:used\n\n# until: 2020-01-01\n"
        "leak:old\n\nleak:unused\n",
        "s.supp");
    result.suppressions = {
        {found[0], false, 2, 30}, {found[1], true, 0, 0}, {found[2], false, 0, 0}};
    Suppression by_default = found[2];
    by_default.is_default = true;
    result.suppressions.push_back({by_default, false, 0, 0});
    CHECK(suppressed_sum(result).bytes == 30);
    CHECK(suppressed_sum(result).blocks == 2);
    const auto remarks = suppression_remarks(result);
    REQUIRE(remarks.size() == 2);
    CHECK(remarks[0].file == "s.supp");
    CHECK(remarks[0].line == 5);
    CHECK(remarks[0].text == "leak:old held until 2020-01-01 and suppresses nothing any more");
    CHECK(remarks[1].text == "leak:unused suppressed nothing; is it still needed?");
}
