// SPDX-License-Identifier: Apache-2.0
//
// `summary` shows little, unless more is requested.
#include "tests/unit/analyzer/commands/requests.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

TEST_CASE("the summary has short lists, without what is below one percent") {
    const Request request = request_of({"summary", "a.bin"});
    CHECK(request.text.top == 3);
    CHECK(request.text.own_top == 5);
    CHECK(request.text.depth == 5);
    CHECK(request.text.min_percent == 1);
    CHECK(request.command->sites == SiteFilter::all);
    CHECK_THAT(output_of(request, training().recording).text,
               Contains("make_tensor") && !Contains("load_batch"));
    CHECK_FALSE(request.text.all_rows);
    const Request all = request_of({"summary", "--all", "a.bin"});
    CHECK_THAT(output_of(all, training().recording).text, Contains("  load_batch  src/data.cpp:7"));
}

TEST_CASE("a number of call sites is kept, whatever their size") {
    const Request request = request_of({"summary", "--top", "7", "a.bin"});
    CHECK(request.text.top == 7);
    CHECK(request.text.own_top == 7);
    CHECK(request.text.min_percent == 0);
    CHECK_THAT(output_of(request, training().recording).text, Contains("load_batch"));
    CHECK(request_of({"--top", "7", "--min", "2%", "a.bin"}).text.min_percent == 2);
}

TEST_CASE("the JSON of the summary has the own lines") {
    const Request request = request_of({"summary", "a.bin"});
    CHECK_THAT(output_of(request, training().recording).json,
               StartsWith("\"own_lines\": [") && Contains("\"line\":42"));
}
