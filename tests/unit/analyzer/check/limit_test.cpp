// SPDX-License-Identifier: Apache-2.0
//
// Limits as people type them.
#include "analyzer/check/limit.h"

#include "analyzer/base/error.h"
#include "tests/unit/analyzer/check/checks.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

TEST_CASE("a limit is a size, for the host or for a space") {
    Limit limit = limit_of(Metric::leaked_bytes, "500K");
    CHECK(limit.space == "host");
    CHECK(limit.value == 500u << 10);
    CHECK_FALSE(limit.is_relative);
    limit = limit_of(Metric::peak_bytes, "mmap=2GiB");
    CHECK(limit.space == "mmap");
    CHECK(limit.value == uint64_t{2} << 30);
    CHECK(limit_of(Metric::leaked_blocks, "tensors:cuda:0=12").space == "tensors:cuda:0");
}

TEST_CASE("with a plus it is what the baseline had and so much more") {
    Limit limit = limit_of(Metric::peak_bytes, "+10%");
    CHECK(limit.is_relative);
    CHECK(allowed_by(limit, 1000) == 1100);
    CHECK(allowed_by(limit_of(Metric::peak_bytes, "+1K"), 1000) == 2024);
    CHECK(allowed_by(limit_of(Metric::peak_bytes, "mmap=+0.5%+1K"), 1000) == 2029);
    CHECK(allowed_by(limit_of(Metric::peak_bytes, "+0"), 1000) == 1000);
    CHECK(allowed_by(limit_of(Metric::peak_bytes, "+300%"), 1000) == 4000);
    CHECK(allowed_by(limit_of(Metric::peak_bytes, "500"), 1000) == 500);
    CHECK(allowed_by(limit, UINT64_MAX) == UINT64_MAX);
    CHECK(allowance_text(limit_of(Metric::peak_bytes, "+12.5%+64K")) == "+12.5 % +64.0 KiB");
    CHECK(limit_of(Metric::peak_bytes, "mmap=off").is_off);
}

TEST_CASE("a part of something is typed in percent, and more of it in points") {
    CHECK(limit_of(Metric::temporary_percent, "25%").value == 2500);
    CHECK(limit_of(Metric::temporary_percent, "0.5").value == 50);
    CHECK(allowed_by(limit_of(Metric::temporary_percent, "+2%"), 900) == 1100);
}

TEST_CASE("a bad limit is named in the complaint") {
    const auto complaint = [](Metric metric, const char* text, Scope scope = Scope::space) {
        try {
            parse_limit(metric, scope, text, "--max-x");
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK_THAT(complaint(Metric::leaked_bytes, "many"),
               Contains("--max-x many") && Contains("\"many\" is not a size"));
    CHECK_THAT(complaint(Metric::leaked_blocks, "host=-1"), Contains("\"-1\" is not a number"));
    CHECK_THAT(complaint(Metric::peak_bytes, "hots=1M"), Contains("there is no space \"hots\""));
    CHECK_THAT(complaint(Metric::peak_bytes, "mmap="), Contains("not a size"));
    CHECK_THAT(complaint(Metric::peak_bytes, ""), Contains("not a size"));
    CHECK_THAT(complaint(Metric::peak_bytes, "10%"), Contains("not a size"));
    CHECK_THAT(complaint(Metric::peak_bytes, "+"), Contains("not a size"));
    CHECK_THAT(complaint(Metric::peak_bytes, "+10%+"), Contains("not a size"));
    CHECK_THAT(complaint(Metric::temporary_percent, "1.234%"), Contains("not a part"));
    CHECK_THAT(complaint(Metric::leaked_bytes, "+1M", Scope::new_site), Contains("nothing that"));
    CHECK_THAT(complaint(Metric::temporary_percent, "1%", Scope::site),
               Contains("of a space only"));
    CHECK_THROWS_AS(parse_site_limit(Scope::site, "64K", "--max-site"), Error);
    CHECK_THROWS_AS(parse_site_limit(Scope::site, "leaked=64K", "--max-site"), Error);
}

TEST_CASE("a limit on sites names its metric, then perhaps its space") {
    const Limit limit = parse_site_limit(Scope::site, "leaked-bytes=mmap=+1M", "--max-site");
    CHECK(limit.metric == Metric::leaked_bytes);
    CHECK(limit.space == "mmap");
    CHECK(limit.is_relative);
    CHECK(title_of(limit) == "mmap leaked-bytes of a site");
    CHECK(is_about_the_same(limit, parse_site_limit(Scope::site, "leaked-bytes=mmap=5", "")));
    CHECK_FALSE(is_about_the_same(limit, parse_site_limit(Scope::site, "leaked-bytes=5", "")));
}
