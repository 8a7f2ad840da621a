// SPDX-License-Identifier: Apache-2.0
#include "analyzer/charts/report_phases.h"

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::test;
using analyzer::Recording;
using Catch::Matchers::Contains;

namespace {

Recording report_of(std::string_view story) {
    Recording recording;
    recording.model = load_bytes(dump_from_text(story), {true, {}});
    return recording;
}

std::string text_of_phases(std::string_view story, const analyzer::TextOptions& options = {}) {
    std::string out;
    write_phases(out, report_of(story), options);
    return out;
}

constexpr const char* story = R"(
    mark lane=0 time=1000000 kind=begin text="epoch 1"
    acquire lane=0 time=1500000 size=2048 address=0x1000
    mark lane=0 time=2000000 kind=begin text="step" scope=thread
    acquire lane=0 time=2100000 size=1024 address=0x2000
    release lane=0 time=2200000 address=0x2000
    mark lane=0 time=3000000 kind=end scope=thread
    mark lane=0 time=3500000 kind=mark text="saved"
)";

}  // namespace

TEST_CASE("phases: when they were, and what they took of each space") {
    const std::string text = text_of_phases(story);
    CHECK_THAT(text, Contains(R"(
         TIMES       TIME        AFTER  PHASE
             1     2.5 ms         1 ms  epoch # (open)
             1       1 ms         2 ms    step
             1          -       3.5 ms    saved (mark)
)"));
    CHECK_THAT(text, Contains(R"(
Phases in host
         PEAK   AT BEGIN     AT END  ALLOCATED       KEPT     LEAKED       CALLS  PHASE
      3.0 KiB        0 B    2.0 KiB    3.0 KiB    2.0 KiB    2.0 KiB           2  epoch # (open)
      3.0 KiB    2.0 KiB    2.0 KiB    1.0 KiB        0 B        0 B           1    step
      2.0 KiB    2.0 KiB    2.0 KiB        0 B        0 B        0 B           0    saved (mark)
)"));
    CHECK_THAT(text, Contains("open: it was not ended"));
}

TEST_CASE("phases: without any, and with ends that had no begin") {
    CHECK_THAT(text_of_phases("acquire lane=0 time=1 size=1 address=0x10"),
               Contains("No phases were recorded"));
    CHECK_THAT(text_of_phases("mark lane=0 time=1 kind=end text=\"x\""),
               Contains("1 end without a begin"));
}

TEST_CASE("phases: only so many, and only one space") {
    analyzer::TextOptions options;
    options.top = 1;
    options.space = "mmap";
    const std::string text = text_of_phases(story, options);
    CHECK_THAT(text, Contains("and 2 further phases"));
    CHECK_THAT(text, !Contains("Phases in host"));
}

TEST_CASE("phases: JSON in the order in which they begin") {
    const auto json = nlohmann::json::parse("{" + phases_json(report_of(story)) + "}");
    const auto& phases = json.at("phases");
    REQUIRE(phases.size() == 3);
    CHECK(phases[0].at("name") == "epoch #");
    CHECK(phases[0].at("open") == true);
    CHECK(phases[1].at("name") == "step");
    CHECK(phases[1].at("kind") == "range");
    CHECK(phases[1].at("occurrences") == 1);
    CHECK(phases[1].at("depth") == 1);
    CHECK(phases[1].at("first_begin_ns").get<uint64_t>() > 0);
    CHECK(phases[1].at("duration_ns") == 1'000'000);
    CHECK(phases[2].at("kind") == "mark");
    const auto& host = phases[1].at("spaces").at("host");
    CHECK(host.at("allocations") == 1);
    CHECK(host.at("frees") == 1);
    CHECK(host.at("allocated_bytes") == 1024);
    CHECK(host.at("peak_bytes") == 3072);
    CHECK(host.at("peak_time_ns").get<uint64_t>() > 0);
    CHECK(host.at("begin_bytes") == 2048);
    CHECK(host.at("end_bytes") == 2048);
    for (const char* left : {"kept_blocks", "kept_bytes", "leaked_blocks", "leaked_bytes"}) {
        CHECK(host.at(left) == 0);
    }
}

TEST_CASE("phases: a program that allocates nothing has figures of host, all of them zero") {
    const auto json = nlohmann::json::parse(
        "{" + phases_json(report_of("mark lane=0 time=5 kind=mark text=\"a\"")) + "}");
    CHECK(json.at("phases")[0].at("spaces").at("host").at("peak_bytes") == 0);
}

TEST_CASE("phases: a profile that was written without them says so") {
    Recording recording = report_of(story);
    recording.model.phases.reset();
    std::string out;
    CHECK_THROWS_WITH(write_phases(out, recording, {}), Contains("holds no phases"));
    CHECK_THROWS_WITH(phases_json(recording), Contains("holds no phases"));
}

TEST_CASE("phases: in a narrow terminal names keep their room, and no line is too long") {
    analyzer::TextOptions options;
    options.width = 80;
    const std::string text = text_of_phases(story, options);
    CHECK_THAT(text, Contains("         PEAK     AT END  ALLOCATED       KEPT     LEAKED  PHASE\n"
                              "      3.0 KiB    2.0 KiB    3.0 KiB    2.0 KiB    2.0 KiB  "
                              "epoch # (open)\n"));
    std::istringstream lines(text.substr(text.find("Phases")));
    for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
}

TEST_CASE("phases: a space that no phase changed has no heading, unless it was asked for") {
    const std::string beside = std::string(story) + R"(
        map lane=0 time=4000000 size=4096 address=0x100000
    )";
    Recording recording = report_of(beside);
    for (analyzer::PhaseInfo& phase : recording.model.phases->phases) {
        for (auto& [name, figures] : phase.spaces) {
            if (name == "mmap") figures = {};
        }
    }
    std::string out;
    write_phases(out, recording, {});
    CHECK_THAT(out, Contains("Phases in host") && !Contains("Phases in mmap"));
    analyzer::TextOptions options;
    options.space = "mmap";
    out.clear();
    write_phases(out, recording, options);
    CHECK_THAT(out, Contains("Phases in mmap: nothing\n"));
}
