// SPDX-License-Identifier: Apache-2.0
#include "preload/recording/host_look.h"

#include "tests/unit/preload/recording/recording.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::preload;

namespace {

constexpr uint64_t large = uint64_t{1} << 40;

uint64_t in_a_second() { return ticks_now() + ticks.per_second; }

}  // namespace

TEST_CASE("a look has the mappings of this process, and the shim's own memory") {
    test::TestRecording recording;
    start_host_looks();
    look_at_host_if_due(*ThreadLane::of_this_thread(), large, in_a_second());
    const analyzer::Model model = recording.read();
    CHECK(model.damaged == false);
    REQUIRE(model.host.at_peak);
    const analyzer::HostLedger& ledger = *model.host.at_peak;
    CHECK(model.host.moments == 1);
    CHECK(model.host.highest >= ledger.resident / 2);
    CHECK(ledger.occasion == HostOccasion::growth);
    CHECK(ledger.resident > 1 << 20);
    CHECK(ledger.part(analyzer::HostPart::memtrace) > 0);
    CHECK(ledger.part(analyzer::HostPart::files) > 0);
    CHECK(ledger.part(analyzer::HostPart::stacks) > 0);
}

TEST_CASE("the next look waits until the last is a small part of the time, and there is more") {
    test::TestRecording recording;
    start_host_looks();
    ThreadLane& lane = *ThreadLane::of_this_thread();
    look_at_host_if_due(lane, large, ticks_now());  // too early
    CHECK(recording.read().host.moments == 0);
    look_at_host_if_due(lane, large, in_a_second());
    look_at_host_if_due(lane, 2 * large, ticks_now());                        // too early
    look_at_host_if_due(lane, large, in_a_second() + ticks.per_second * 20);  // not larger
    CHECK(recording.read().host.moments == 1);
    // A look of some milliseconds is followed by a pause of some seconds, in a slow build of
    // minutes.
    look_at_host_if_due(lane, 2 * large, in_a_second() + ticks.per_second * 3000);
    CHECK(recording.read().host.moments == 2);
    look_at_host_if_due(lane, large, in_a_second() + ticks.per_second * 9000);  // long ago
    CHECK(recording.read().host.moments == 3);
}

TEST_CASE("a process that ends at once is not looked at") {
    test::TestRecording recording;
    start_host_looks();
    look_at_host_when_work_ends(*ThreadLane::of_this_thread());
    CHECK(recording.read().host.moments == 0);
}
