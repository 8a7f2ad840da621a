// SPDX-License-Identifier: Apache-2.0
//
// JUnit XML: a case for each limit, and no characters that XML cannot contain.
#include "analyzer/ci/report_junit.h"

#include "tests/unit/analyzer/check/checks.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

TEST_CASE("a broken limit is a failure with the line to blame") {
    const std::string text = junit_text({{"dump.bin", leaky_change()}});
    CHECK_THAT(text, Contains(R"(<testsuites name="memtrace" tests="4" failures="2" errors="0" )"
                              R"(skipped="0">)"));
    CHECK_THAT(text, Contains(R"(<testcase classname="memtrace.train" name="host leaked-bytes" )"
                              R"(file="src/train.cpp" line="17">)"));
    CHECK_THAT(text, Contains(R"(<failure type="leaked-bytes" message="390.6 KiB)"));
    CHECK_THAT(text, Contains("keep &lt; main&#10;    at src/train.cpp:17"));
    CHECK_THAT(text, Contains(R"(name="host allocations"/>)"));
    CHECK_THAT(text, Contains(R"(name="the recording can be judged"/>)"));
}

TEST_CASE("a recording that cannot be judged is an error") {
    CheckResult result = leaky_change();
    result.obstacles = {"The dump is damaged."};
    const std::string text = junit_text({{"dump.bin", result}});
    CHECK_THAT(text, Contains(R"(errors="1")"));
    CHECK_THAT(text, Contains(R"(<error type="recording" message="The dump is damaged.">)"));
}

TEST_CASE("a limit that an incomplete recording leaves open is skipped with its reason") {
    CheckResult result = leaky_change();
    result.limits[2].is_open = true;
    const std::string text = junit_text({{"dump.bin", result}});
    CHECK_THAT(text, Contains(R"(failures="2" errors="0" skipped="1">)"));
    CHECK_THAT(text, Contains("<skipped message=\"The limit holds in what was recorded, and"));
    CHECK_THAT(text, !Contains(R"(name="host allocations"/>)"));
}

TEST_CASE("a dump that cannot be read is an error of its own, beside what was judged") {
    const std::string text = junit_text(
        {{"a.bin", leaky_change(), ""}, {"out/b.bin", {}, "out/b.bin is not a <dump>."}});
    CHECK_THAT(text, Contains(R"(tests="5" failures="2" errors="1" skipped="0">)"));
    CHECK_THAT(text, Contains(R"(<testsuite name="memtrace b.bin" tests="1" failures="0" )"
                              R"(errors="1" skipped="0">)"));
    CHECK_THAT(text, Contains(R"(<testcase classname="memtrace.b.bin" name="the recording)"));
    CHECK_THAT(text, Contains(R"(<error type="unread dump" message="out/b.bin is not a &lt;dump)"));
}

TEST_CASE("what XML cannot hold is replaced") {
    CHECK(xml_escaped("a<b>&\"c\"\n\t") == "a&lt;b&gt;&amp;&quot;c&quot;&#10;&#9;");
    CHECK(xml_escaped(std::string("a\x01z\0y", 5)) == "a\xef\xbf\xbdz\xef\xbf\xbdy");
    CHECK(xml_escaped("\xff") == "\xef\xbf\xbd");
    CHECK(xml_escaped("\xef\xbf\xbf") == "\xef\xbf\xbd");
    CHECK(xml_escaped("\xc3\xa4") == "\xc3\xa4");
    CHECK(xml_escaped("\x1b[1m\x7f\xc2\x9b\u202e") == "\ufffd[1m\ufffd\ufffd\ufffd");
}
