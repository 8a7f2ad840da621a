// SPDX-License-Identifier: Apache-2.0
#include "analyzer/profile/profile_file.h"
#include "tests/unit/analyzer/profile/profiles.h"

using namespace memtrace;
using namespace memtrace::analyzer;

TEST_CASE("the ledger of the host is in a profile, with the stacks that pin") {
    Story story;
    const uint32_t keep = story.stack({"keep app.cpp:3", "main app.cpp:9"});
    story.site("host", keep, 2, 64, 2);
    HostLedger ledger;
    ledger.time_ns = 5;
    ledger.occasion = HostOccasion::work_end;
    ledger.resident = 1000;
    ledger.parts[static_cast<size_t>(HostPart::heap_free)] = 700;
    ledger.pinned = 600;
    ledger.pins = {{keep, 2, 64, 600}};
    ledger.mapped = 5000;
    ledger.not_touched = 4000;
    ledger.untouched = {{keep, 4500, 500}};
    HostInfo& host = story.recording.model.host;
    host.moments = 3;
    host.highest = 1200;
    host.at_peak = ledger;
    host.at_end = ledger;
    const Recording read = read_profile_bytes(write_profile(story.recording), "x");
    const HostInfo& found = read.model.host;
    CHECK(found.moments == 3);
    CHECK(found.highest == 1200);
    REQUIRE(found.at_end);
    CHECK(found.at_end->occasion == HostOccasion::work_end);
    CHECK(found.at_end->part(HostPart::heap_free) == 700);
    CHECK(found.at_end->unexplained() == 300);
    REQUIRE(found.at_end->pins.size() == 1);
    CHECK(found.at_end->pins[0].free_bytes == 600);
    CHECK(found.at_end->pins[0].stack == read.model.spaces[0].sites[0].stack);
    CHECK(found.at_end->mapped == 5000);
    CHECK(found.at_end->not_touched == 4000);
    REQUIRE(found.at_end->untouched.size() == 1);
    CHECK(found.at_end->untouched[0].resident == 500);
    CHECK(found.at_end->untouched[0].stack == read.model.spaces[0].sites[0].stack);
}

TEST_CASE("a recording without a ledger has none in its profile") {
    Recording recording;
    const Recording read = read_profile_bytes(write_profile(recording), "x");
    CHECK_FALSE(read.model.host.at_peak);
}
