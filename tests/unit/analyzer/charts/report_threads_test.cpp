// SPDX-License-Identifier: Apache-2.0
#include "analyzer/charts/report_threads.h"

#include <nlohmann/json.hpp>

#include "tests/unit/analyzer/charts/stories.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

TEST_CASE("report_threads: who they are, and what each held") {
    std::string out;
    write_threads(out, watched_story(two_threads), {});
    CHECK_THAT(out, Contains("2 threads") && Contains("7 main") && Contains("8 (no name)"));
    CHECK_THAT(out, Contains("Threads in host") && Contains("in all"));
}

TEST_CASE("report_threads: JSON has what other threads freed") {
    const auto json =
        nlohmann::json::parse("{" + threads_memory_json(watched_story(two_threads)) + "}");
    const auto& main = json["thread_memory"][0];
    CHECK(main["tid"] == 7);
    CHECK(main["name"] == "main");
    CHECK(main["end_ns"].is_null());
    CHECK(main["spaces"]["host"]["freed_by_others_bytes"] == 100);
    CHECK(main["spaces"]["host"]["at_peak_bytes"] == 100);
    CHECK(json["thread_memory"][1]["end_ns"] == 70'000);
    CHECK(json["thread_memory"][1]["spaces"]["host"]["leaked_bytes"] == 50);
}

TEST_CASE("report_threads: a profile has no memory by thread, and says so") {
    Recording recording = watched_story(two_threads);
    recording.model.watch = nullptr;
    std::string out;
    write_threads(out, recording, {});
    CHECK_THAT(out, Contains("7 main") && Contains("not what it held"));
}
