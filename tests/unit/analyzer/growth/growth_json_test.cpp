// SPDX-License-Identifier: Apache-2.0
#include "analyzer/growth/growth_json.h"

#include <nlohmann/json.hpp>

#include "tests/unit/analyzer/growth/growing.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("growth in JSON") {
    GrowingStory story;
    story.keeps({"libc:malloc", "keep src/app.cpp:3", "main src/app.cpp:9"}, 64);
    story.keeps({"libc:malloc", "load src/app.cpp:5", "main src/app.cpp:8"}, 1000, 0, 5);
    const std::string text = "{" + growth_json(story.recording, find_growth(story.recording)) + "}";
    const auto json = nlohmann::json::parse(text)["growth"];
    CHECK(json["unit"] == "step");
    CHECK(json["points"] == 100);
    CHECK(json["not_judged"].is_null());
    const auto& leak = json["findings"][0];
    CHECK(leak["verdict"] == "leak");
    CHECK(leak["bytes_per_step"].get<double>() == Approx(64));
    CHECK(leak["low"].get<double>() <= 64);
    CHECK(leak["held_bytes"] == 6400);
    CHECK(leak["stack"][0]["function"] == "keep");
    CHECK(leak["parts"][0]["stack"][0]["function"] == "malloc");
    CHECK(json["spaces"][0]["verdict"] == "leak");
}
