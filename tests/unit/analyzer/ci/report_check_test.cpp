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

TEST_CASE("a limit that an incomplete recording leaves open has not passed") {
    const Story story = training();
    CheckResult result;
    result.limits =
        check_limits(measured_of(story.recording), nullptr,
                     {limit_of(Metric::leaked_blocks, "0"), limit_of(Metric::peak_bytes, "1G")});
    result.limits[1].is_open = true;
    const std::string out = text_of(story, result);
    CHECK_THAT(out, Contains("\n  FAIL  host leaked-blocks: 1 block"));
    CHECK_THAT(out, Contains("\n  open  host peak-bytes: 300.1 MiB"));
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

TEST_CASE("a limit of a phase blames the sites of the phase, not those of the whole recording") {
    const Story phase = program({{"load src/load.cpp:7", 400'000}});
    Limit limit = limit_of(Metric::peak_bytes, "100K");
    limit.phase = "load";
    CheckResult result;
    result.limits = check_limits(measured_of(phase.recording), nullptr, {limit});
    const std::string out = text_of(program({{"train src/train.cpp:6", 9'000'000}}), result);
    CHECK_THAT(out, Contains(R"(
               NOW  WHERE
         390.6 KiB  load < main
                    src/load.cpp:7
)"));
    CHECK_THAT(out, !Contains("train.cpp:6"));
}

TEST_CASE("a limit on growth blames what grows, and not the largest site") {
    const Story story =
        program({{"keep src/train.cpp:10", 6'000}, {"table src/train.cpp:6", 9'000'000}});
    Growth growth;
    GrowthFinding leak;
    leak.space = "host";
    leak.verdict = Verdict::leak;
    leak.rate.bytes_per_step = 100;
    leak.parts = {{find_space(story.recording.model, "host")->sites[0].stack, 1}};
    growth.findings.push_back(leak);
    Suppressor suppressor(story.recording, {}, "2026-07-01");
    CheckResult result;
    result.limits = check_limits(measure(story.recording, suppressor, "/app", &growth), nullptr,
                                 {limit_of(Metric::growth_per_step, "50")});
    const std::string out = text_of(story, result);
    CHECK_THAT(out, Contains("keep < main"));
    CHECK_THAT(out, !Contains("table"));
}

TEST_CASE("a limit on leaks blames what no suppression takes") {
    const Story story =
        program({{"cache src/train.cpp:6", 9'000'000}, {"forget src/train.cpp:10", 6'000}});
    const auto suppressions = parse_suppressions("leak:cache\n", "s.supp");
    CheckResult result;
    result.suppressions = {{suppressions[0], false, 1, 9'000'000}};
    result.limits = check_limits(measured_of(story.recording, suppressions), nullptr,
                                 {limit_of(Metric::leaked_bytes, "1K")});
    const std::string out = text_of(story, result);
    CHECK_THAT(out, Contains("forget < main"));
    CHECK_THAT(out, !Contains("cache < main"));
    CHECK_THAT(out, !Contains("Still allocated"));
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
