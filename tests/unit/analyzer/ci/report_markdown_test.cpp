// SPDX-License-Identifier: Apache-2.0
//
// The findings of `check` as Markdown, for the summary of a job.
#include "analyzer/ci/report_markdown.h"

#include "tests/unit/analyzer/check/checks.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

TEST_CASE("limits are a table, and so are the sites to blame") {
    const std::string text = markdown_text({{"dump.bin", leaky_change()}});
    CHECK_THAT(text, Contains("### memtrace: train is beyond its limits\n"));
    CHECK_THAT(text, Contains("| **FAIL** | host leaked-bytes | 390.6 KiB | 107.4 KiB (+10 %) | "
                              "97.7 KiB |\n"));
    CHECK_THAT(text, Contains("| pass | host allocations | 2 allocations | 100 allocations | "
                              "1 allocation |\n"));
    CHECK_THAT(text, Contains("| 293.0 KiB | new, or less than 16.0 KiB | keep &#60; main | "
                              "src/train.cpp:17 |\n"));
}

TEST_CASE("a limit that an incomplete recording leaves open has no pass in Markdown") {
    CheckResult result = leaky_change();
    result.limits[2].is_open = true;
    CHECK_THAT(markdown_text({{"dump.bin", result}}), Contains("| open | host allocations | "));
}

TEST_CASE("names are nothing but text") {
    CHECK(markdown_escaped("a|b`c` <script> @you\nx_y") ==
          "a&#124;b\\`c\\` &#60;script&#62; &#64;you?x\\_y");
}

TEST_CASE("a dump that cannot be read says why") {
    CHECK(markdown_text({{"out/b.bin", {}, "out/b.bin is not a dump."}}) ==
          "### memtrace: b.bin cannot be judged\n\n> out/b.bin is not a dump.\n\n");
}

TEST_CASE("what cannot be judged says so; what passes says that") {
    CheckResult result;
    result.measured.program = "train";
    CHECK_THAT(markdown_text({{"dump.bin", result}}), Contains("train is within its limits"));
    result.obstacles = {"The dump is damaged."};
    CHECK_THAT(markdown_text({{"dump.bin", result}}),
               Contains("train cannot be judged") && Contains("> The dump is damaged."));
}
