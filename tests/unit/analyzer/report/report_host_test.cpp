// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/report_host.h"

#include <nlohmann/json.hpp>

#include "tests/unit/analyzer/growth/growing.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using Catch::Contains;
using Catch::StartsWith;

namespace {

GrowingStory with_ledger() {
    GrowingStory story;
    const uint32_t keep = story.stack({"libc:malloc", "keep src/app.cpp:3", "main src/app.cpp:9"});
    HostLedger ledger;
    ledger.time_ns = 1'000'000'000;
    ledger.occasion = HostOccasion::work_end;
    ledger.resident = 100 << 20;
    ledger.parts[static_cast<size_t>(HostPart::heap_blocks)] = 10 << 20;
    ledger.parts[static_cast<size_t>(HostPart::heap_free)] = 85 << 20;
    ledger.heap_held = 12 << 20;
    ledger.pinned = 80 << 20;
    ledger.free_at_top = 1 << 20;
    ledger.pins = {{keep, 40, 1280, 80 << 20}};
    ledger.mapped = uint64_t{600} << 20;
    ledger.not_touched = uint64_t{590} << 20;
    ledger.untouched = {{keep, uint64_t{512} << 20, 4 << 20}};
    HostInfo& host = story.recording.model.host;
    host.moments = 1;
    host.highest = 110 << 20;
    host.at_peak = ledger;
    host.at_end = ledger;
    return story;
}

std::string text_of(const Recording& recording) {
    std::string out;
    write_host(out, recording, {});
    return out;
}

}  // namespace

TEST_CASE("host: each part with its share, what is not explained, and who pins free memory") {
    const std::string text = text_of(with_ledger().recording);
    CHECK_THAT(text, Contains("110.0 MiB by the kernel (VmHWM)"));
    CHECK_THAT(text, Contains("10.0 MiB") && Contains("live blocks of the heap"));
    CHECK_THAT(text, Contains("80.0 MiB in pages below a live block, which pins them"));
    CHECK_THAT(text, Contains("5.0 MiB") && Contains("not explained"));
    CHECK_THAT(text, Contains("12.0 MiB of the heap are held, 2.0 MiB of these"));
    CHECK_THAT(text, Contains("600.0 MiB of addresses are mapped by the program, 590.0 MiB of "
                              "these are"));
    CHECK_THAT(text, Contains("Mapped by the program, and not resident: 508.0 MiB"));
    CHECK_THAT(text, Contains("80.0 MiB below 40 blocks of 1.2 KiB in all"));
    CHECK_THAT(text, Contains("keep  src/app.cpp:3"));
    CHECK_THAT(text, !Contains("Resident at the end"));  // the same moment
}

TEST_CASE("host: one line for the summary has the largest parts") {
    Story story = with_ledger();
    story.recording.model.host.highest = 102 << 20;
    CHECK(host_line(story.recording) ==
          "resident 100.0 MiB at the peak: heap that is free but kept 85.0 MiB, heap 10.0 MiB, "
          "not explained 5.0 MiB");
    CHECK(host_line(Recording{}).empty());
}

TEST_CASE("host: a ledger of clearly less than the peak says so, also in the summary") {
    Story story = with_ledger();
    story.recording.model.host.at_peak->time_ns = 2'000'000'000;
    story.recording.model.host.highest = 150 << 20;
    CHECK_THAT(host_line(story.recording),
               StartsWith("resident 150.0 MiB at the peak, 100.0 MiB when memtrace looked, after "
                          "2 s: heap that is free"));
    CHECK_THAT(text_of(story.recording), Contains("Resident when memtrace looked: 100.0 MiB"));
    CHECK_THAT(text_of(story.recording), !Contains("Resident at the peak"));
}

TEST_CASE("host: a recording without a ledger says why") {
    Recording recording;
    recording.model.process.duration_ns = 1000;
    CHECK_THAT(text_of(recording), Contains("No ledger of the host: the process ran for 1 us"));
    recording.model.spaces.emplace_back().name = "host";
    recording.model.spaces[0].is_estimate = true;
    CHECK_THAT(no_host_ledger(recording), Contains("the heap is a sample"));
    recording.model.options["sample_ms"] = "0";
    CHECK_THAT(no_host_ledger(recording), Contains("sample_ms=0"));
}

TEST_CASE("host in JSON") {
    const auto json = nlohmann::json::parse("{" + host_ledger_json(with_ledger().recording) + "}");
    const auto& host = json["host_ledger"];
    CHECK(host["absent"].is_null());
    CHECK(host["end"]["parts"]["heap_free"] == 85 << 20);
    CHECK(host["end"]["not_explained"] == 5 << 20);
    CHECK(host["end"]["pins"][0]["free_bytes"] == 80 << 20);
    CHECK(host["end"]["pins"][0]["stack"][1]["function"] == "keep");
    CHECK(host["end"]["mapped"] == 600 << 20);
    CHECK(host["end"]["untouched"][0]["mapped_bytes"] == 512 << 20);
    CHECK(host["end"]["untouched"][0]["resident_bytes"] == 4 << 20);
    CHECK(host["end"]["untouched"][0]["stack"][1]["function"] == "keep");
    CHECK(host["trend"]["rises"] == false);
}
