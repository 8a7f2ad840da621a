// SPDX-License-Identifier: Apache-2.0
//
// Annotations for GitHub: each is one line, with any names.
#include "analyzer/ci/report_annotations.h"

#include <algorithm>

#include "tests/unit/analyzer/check/checks.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

TEST_CASE("a broken limit is an error at the line to blame") {
    const std::string text = annotations_text({{"dump.bin", leaky_change()}});
    CHECK_THAT(text, Contains("::error file=src/train.cpp,line=17,title=memtrace%3A host "
                              "leaked-bytes::host leaked-bytes: leaked-bytes 293.0 KiB"));
    CHECK(std::count(text.begin(), text.end(), '\n') == 2);
}

TEST_CASE("a dump that cannot be read is an error without a line") {
    CHECK(annotations_text({{"b.bin", {}, "b.bin is not a dump."}}) ==
          "::error title=memtrace::b.bin is not a dump.\n");
}

TEST_CASE("what means something to GitHub is escaped") {
    CHECK(escaped_message("50%\r\n::") == "50%25%0D%0A::");
    CHECK(escaped_property("a,b:c%\n") == "a%2Cb%3Ac%25%0A");
    CHECK(escaped_message("\x1b[31m\xc2\x9b\xff\u00fc") == "?[31m??\u00fc");
    CHECK(escaped_message(std::string(100'000, 'x')).size() < 5000);
}

TEST_CASE("ten are shown, and how many more there are") {
    CheckResult result;
    LimitResult limit;
    limit.passed = false;
    for (int i = 0; i < 12; ++i) {
        Blame blame;
        blame.site = "site" + std::to_string(i);
        blame.place.file = "a,b.py";
        limit.blamed.push_back(blame);
    }
    result.limits = {limit};
    result.obstacles = {"The dump is damaged."};
    const std::string text = annotations_text({{"dump.bin", result}});
    CHECK(std::count(text.begin(), text.end(), '\n') == 11);
    CHECK(text.starts_with("::error title=memtrace::The dump is damaged.\n"));
    CHECK_THAT(text, Contains("file=a%2Cb.py,title="));
    CHECK_THAT(text, Contains("::notice title=memtrace::3 errors more"));
}

TEST_CASE("a suppression to look at is a warning in its file") {
    CheckResult result;
    result.suppressions = {{parse_suppressions("\nleak:x", "ci/s.supp")[0], false, 0, 0}};
    CHECK_THAT(annotations_text({{"dump.bin", result}}),
               Contains("::warning file=ci/s.supp,line=2,title=memtrace%3A suppression::leak:x"));
}
