// SPDX-License-Identifier: Apache-2.0
#include "analyzer/charts/report_temporary.h"

#include <nlohmann/json.hpp>

#include "tests/unit/analyzer/charts/stories.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

TEST_CASE("report_temporary: which blocks could be kept, of how many") {
    std::string out;
    write_temporary(out, watched_story(two_threads), {}, {});
    CHECK_THAT(out, Contains("1 of 3 allocations (33.3 %), and 8 B of 158 B, were freed before"));
}

TEST_CASE("report_temporary: other limits count other lives") {
    WatchRequest request = watch_all();
    request.time_max_ns = 149;
    const auto blocks = [&] {
        const auto json = nlohmann::json::parse(
            "{" + temporary_json(watched_story(two_threads, request), {0, request.time_max_ns}) +
            "}");
        CHECK(json["temporary"]["within_ns"] == request.time_max_ns);
        return json["temporary"]["spaces"][0]["blocks"].get<int>();
    };
    CHECK(blocks() == 0);
    request.time_max_ns = 150;
    CHECK(blocks() == 1);
    request.time_max_ns = 59'000;
    CHECK(blocks() == 2);
}

TEST_CASE("report_temporary: a profile has no bytes of them") {
    Recording recording = watched_story(two_threads);
    recording.model.watch = nullptr;
    const auto json = nlohmann::json::parse("{" + temporary_json(recording, {}) + "}");
    CHECK(json["temporary"]["spaces"][0]["blocks"] == 1);
    CHECK(json["temporary"]["spaces"][0]["bytes"].is_null());
}
