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

TEST_CASE("report_histogram: of a sample, lives have times, and no events") {
    Recording recording = watched_story(two_threads);
    recording.model.spaces[0].is_estimate = true;
    std::string out;
    write_histogram(out, recording, {}, true);
    CHECK_THAT(out, Contains("~3 blocks") && Contains("100-200 ns"));
    CHECK_THAT(out, Contains("LIFE IN EVENTS: not known (-)"));
    const auto json = nlohmann::json::parse("{" + histogram_json(recording) + "}");
    CHECK(json["histogram"][0]["lifetimes_events"].is_null());
    CHECK(json["histogram"][0]["lifetimes_ns"].size() > 0);
}

TEST_CASE("report_histogram: what a pool keeps is no block, and is named beside them") {
    const Recording recording = watched_story(R"(
    gpu_acquire lane=0 time=10 api=cuMemAllocAsync memory=pooled size=100 address=0xa pool=9
    gpu_pool lane=0 time=11 api=cuMemAllocAsync kind=pool pool=9 reserved=1000 used=100
    gpu_acquire lane=0 time=20 api=cuMemAllocAsync memory=pooled size=50 address=0xb pool=9
    gpu_release lane=0 time=30 api=cuMemFreeAsync address=0xb
)");
    std::string out;
    write_histogram(out, recording, {}, true);
    CHECK_THAT(out, Contains("Blocks of device:0: 2 blocks, 150 B") &&
                        Contains("in no block at the end: 900 B kept by the driver's pools"));
    const auto json = nlohmann::json::parse("{" + histogram_json(recording) + "}");
    for (const auto& space : json["histogram"]) {
        if (space["space"] != "device:0") continue;
        CHECK(space["kept_bytes"] == 900);
        CHECK(space["alive_bytes"] == 100);
        CHECK(space["sizes"].size() == 2);
    }
}

TEST_CASE("report_histogram: columns never touch, however long their numbers are") {
    for (const bool is_estimate : {true, false}) {
        Recording recording = watched_story(two_threads);
        recording.model.spaces[0].is_estimate = is_estimate;
        auto watch = std::make_shared<RunWatch>(*recording.model.watch);
        const uint64_t bytes = (uint64_t{1023} << 10) + 600;
        for (LifeBar& bar : watch->spaces.at("host").bars) bar.ended = {1'234'567'890, bytes};
        recording.model.watch = watch;
        std::string out;
        write_histogram(out, recording, {}, true);
        const std::string sign = is_estimate ? "~" : "";
        CHECK_THAT(out, Contains(" " + sign + "1,234,567,890 " + sign + "1023.6 KiB"));
    }
}
