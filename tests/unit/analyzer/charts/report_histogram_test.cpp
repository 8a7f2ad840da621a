// SPDX-License-Identifier: Apache-2.0
#include "analyzer/charts/report_histogram.h"

#include <nlohmann/json.hpp>

#include "tests/unit/analyzer/charts/stories.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

TEST_CASE("report_histogram: sizes, lifetimes, and what is alive") {
    for (const bool utf8 : {true, false}) {
        std::string out;
        write_histogram(out, watched_story(two_threads), {}, utf8);
        CHECK_THAT(out, Contains("Blocks of host: 3 blocks, 158 B"));
        CHECK_THAT(out, Contains("100-200 ns") && Contains("alive at the end"));
        CHECK((out.find("█") != std::string::npos) == utf8);
    }
}

TEST_CASE("report_histogram: JSON has fine steps, and the line with most blocks of each") {
    const auto json = nlohmann::json::parse("{" + histogram_json(watched_story(two_threads)) + "}");
    const auto& host = json["histogram"][0];
    CHECK(host["alive_blocks"] == 1);
    REQUIRE(host["sizes"].size() == 3);
    CHECK(host["sizes"][2]["from"] == 96);
    CHECK(host["sizes"][2]["below"] == 112);
    CHECK(host["sizes"][2]["most"]["blocks"] == 1);
    CHECK(host["lifetimes_events"][0]["blocks"] == 1);
}
