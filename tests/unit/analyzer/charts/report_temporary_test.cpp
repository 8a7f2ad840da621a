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

namespace {

Recording sampled_story(const WatchRequest& request = watch_all()) {
    Recording recording = watched_story(two_threads, request);
    recording.model.spaces[0].is_estimate = true;
    return recording;
}

nlohmann::json json_of(const Recording& recording, const BriefLife& brief) {
    return nlohmann::json::parse("{" + temporary_json(recording, brief) + "}")["temporary"];
}

}  // namespace

TEST_CASE("report_temporary: of a sample, what happened in a life is not known") {
    for (const bool has_watch : {true, false}) {
        Recording recording = sampled_story();
        if (!has_watch) recording.model.watch = nullptr;
        std::string out;
        write_temporary(out, recording, {}, {});
        CHECK_THAT(out, Contains("- of ~3 allocations were freed before") &&
                            Contains("not known, because a sample"));
        CHECK_THAT(out, !Contains("~0 of"));
        const auto space = json_of(recording, {})["spaces"][0];
        CHECK(space["allocations"] == 3);
        for (const char* field : {"blocks", "bytes", "lines"}) CHECK(space[field].is_null());
    }
}

TEST_CASE("report_temporary: of a sample, lives in time are known, and those in events are not") {
    WatchRequest request = watch_all();
    request.time_max_ns = 150;
    request.events_max = 9;
    const Recording recording = sampled_story(request);
    CHECK(json_of(recording, {0, 150})["spaces"][0]["blocks"].is_number());
    CHECK(json_of(recording, {9, 0})["spaces"][0]["blocks"].is_null());
    CHECK(json_of(recording, {9, 150})["spaces"][0]["blocks"].is_null());
}

TEST_CASE("report_temporary: beside a sampled heap, an exact space has no lives in events") {
    Recording recording = watched_story(two_threads);
    recording.model.spaces[0].name = "mmap";
    recording.model.watch = nullptr;
    CHECK(json_of(recording, {9, 0})["spaces"][0]["blocks"].is_number());
    recording.model.spaces.push_back({});
    recording.model.spaces[1].name = "host";
    recording.model.spaces[1].is_estimate = true;
    CHECK(json_of(recording, {9, 0})["spaces"][0]["blocks"].is_null());
    CHECK(json_of(recording, {})["spaces"][0]["blocks"].is_number());
}
