// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>

#include "analyzer/base/json_text.h"
#include "tests/unit/analyzer/export/exports.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

std::map<std::string, uint64_t> sums_of(const Json& json) {
    std::map<std::string, uint64_t> sums;
    for (const Json& profile : json["profiles"]) {
        uint64_t sum = 0;
        for (const Json& weight : profile["weights"]) sum += weight.get<uint64_t>();
        CHECK(profile["samples"].size() == profile["weights"].size());
        CHECK(profile["endValue"] == sum);
        for (const Json& sample : profile["samples"]) {
            for (const Json& frame : sample) CHECK(frame < json["shared"]["frames"].size());
        }
        sums[profile["name"]] = sum;
    }
    return sums;
}

}  // namespace

TEST_CASE("speedscope: a profile for each measure, each adding up to the space's") {
    const Story story = training();
    const Totals& totals = story.recording.model.spaces[0].totals;
    const Json json = Json::parse(exported(story.recording, "speedscope"));
    CHECK(sums_of(json) ==
          std::map<std::string, uint64_t>{{"host, at the peak", totals.at_peak_bytes},
                                          {"host, held at the end", totals.live_bytes},
                                          {"host, allocated", totals.allocated_bytes},
                                          {"host, calls", totals.allocations}});
    CHECK(json["$schema"] == "https://www.speedscope.app/file-format-schema.json");
    CHECK(json["profiles"][0]["unit"] == "bytes");
    CHECK(json["profiles"][3]["unit"] == "none");
    const Json& sample = json["profiles"][0]["samples"][0];
    CHECK(json["shared"]["frames"][sample[0].get<size_t>()] ==
          Json{{"name", "main"}, {"file", "src/train.cpp"}, {"line", 90}});
}

TEST_CASE("speedscope: the chosen measure is the one that is shown first") {
    const Story story = training();
    const auto active = [&](ExportMeasure measure) {
        return Json::parse(exported(story.recording, "speedscope", measure))["activeProfileIndex"];
    };
    CHECK(active(ExportMeasure::peak) == 0);
    CHECK(active(ExportMeasure::allocated) == 2);
}

TEST_CASE("speedscope: each space by its name; a space without blocks has no profile") {
    Story story = training();
    story.site("device:0", story.stack({"kernel k.cu:1"}), 1, 64);
    const Json json = Json::parse(exported(story.recording, "speedscope"));
    const auto sums = sums_of(json);
    CHECK(sums.at("device:0, at the peak") == 64);
    CHECK(sums.count("device:0, held at the end") == 0);
}

TEST_CASE("speedscope: nothing that was allocated is a profile, too, because it needs one") {
    const Json json = Json::parse(exported(Story().recording, "speedscope"));
    REQUIRE(json["profiles"].size() == 1);
    CHECK(json["profiles"][0]["weights"].empty());
}

TEST_CASE("speedscope: hostile names are strings of valid JSON") {
    const Story story = hostile_story();
    const Json json = Json::parse(exported(story.recording, "speedscope"));
    CHECK(sums_of(json).at("host, at the peak") == 10 * std::size(hostile_names) + 5);
    CHECK(json["shared"]["frames"].size() == 1 + std::size(hostile_names));
}
