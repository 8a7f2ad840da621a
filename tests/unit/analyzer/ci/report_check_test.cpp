// SPDX-License-Identifier: Apache-2.0
//
// The text that `check` prints for people.
#include "analyzer/ci/report_check.h"

#include "tests/unit/analyzer/check/checks.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

std::string text_of(const Story& story, const CheckResult& result) {
    std::string out;
    write_check(out, story.recording, result, {});
    return out;
}

}  // namespace

TEST_CASE("each limit is printed with what was measured, and who broke it") {
    const Story story = training();
    CheckResult result;
    result.limits =
        check_limits(measured_of(story.recording), nullptr,
                     {limit_of(Metric::leaked_blocks, "0"), limit_of(Metric::peak_bytes, "1G")});
    const std::string out = text_of(story, result);
    CHECK_THAT(out, Contains(R"(
  FAIL  host leaked-blocks: 1 block, limit 0 blocks
  pass  host peak-bytes: 300.1 MiB (314,672,800 bytes), limit 1.0 GiB (1,073,741,824 bytes)

Still allocated at the end in host: 25.0 MiB (26,214,400 bytes) in 1 block
)"));
    CHECK(out.find("Peak of host") == std::string::npos);
}

TEST_CASE("with a baseline the sites to blame stand below their limit, with what they had") {
    const std::string out = text_of(program({{"keep", 1}}), leaky_change());
    CHECK_THAT(out, Contains("  compared with base.json\n"));
    CHECK_THAT(out, Contains(R"(
  FAIL  host leaked-bytes of a new site: 1 call site with more than 64.0 KiB
               NOW                      BEFORE  WHERE
         293.0 KiB  new, or less than 16.0 KiB  keep < main
                                                src/train.cpp:17
)"));
}

TEST_CASE("what was suppressed is a sum with its reasons, and what nobody needs is named") {
    CheckResult result;
    const auto found =
        parse_suppressions("# reason: a table\nleak:used\n\nleak:unused\n", "s.supp");
    result.suppressions = {{found[0], false, 2, 2048}, {found[1], false, 0, 0}};
    const std::string out = text_of(program({{"keep", 1}}), result);
    CHECK_THAT(out,
               Contains("Suppressed, not counted as leaked: 2.0 KiB (2,048 bytes) in 2 blocks"));
    CHECK_THAT(out, Contains("2.0 KiB  leak:used: a table\n"));
    CHECK_THAT(out, Contains("  s.supp:4: leak:unused suppressed nothing; is it still needed?\n"));
}

TEST_CASE("why nothing passes is the last that is said") {
    CheckResult result = leaky_change();
    result.obstacles = {"The dump is damaged."};
    CHECK(text_of(program({{"keep", 1}}), result).ends_with("\nThe dump is damaged.\n"));
}
