// SPDX-License-Identifier: Apache-2.0
#include "analyzer/spaces/cut_resizes.h"

#include <string>

#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using namespace memtrace::test;
using Catch::Matchers::Contains;

namespace {

// Two threads, of which the second takes an address that the first holds.
const std::string taken = R"(
    thread_start lane=0 time=1 tid=10
    thread_start lane=1 time=2 tid=11
    acquire lane=0 time=10 size=100 address=0x1000
    acquire lane=1 time=20 size=50 address=0x1000
)";

uint64_t anomalies_of(const std::string& more) {
    return load_story(taken + more).capture.anomalies;
}

}  // namespace

TEST_CASE("a resize that the end cut off explains that its address was taken") {
    const Model model = load_story(taken + "acquire lane=1 time=30 size=5 address=0x3000\n");
    CHECK(model.capture.anomalies == 0);
    CHECK(model.capture.first_anomalies.empty());
    const Space& host = *space_named(model, "host");
    CHECK(host.totals.live_bytes == 55);  // The old block counts as freed.
    REQUIRE(model.notes.size() == 1);
    CHECK_THAT(model.notes[0].text, Contains("while 1 realloc had been done and not been written"));
}

TEST_CASE("a thread that went on, or had ended, was in no resize") {
    CHECK(anomalies_of("acquire lane=0 time=30 size=5 address=0x3000\n") == 1);
    CHECK(anomalies_of("thread_end lane=0 time=30\n") == 1);
    CHECK(anomalies_of("end lane=0 time=30 kind=exit code=0\n") == 1);
}

TEST_CASE("a thread explains one address, and a resize takes no minute") {
    CHECK(anomalies_of("acquire lane=1 time=30 size=50 address=0x2000\n"
                       "acquire lane=1 time=40 size=50 address=0x2000\n") == 1);
    CHECK(anomalies_of("acquire lane=1 time=60000000000 size=5 address=0x3000\n") == 1);
}

TEST_CASE("each of two threads explains one, and the first contradictions are the others") {
    const Model model = load_story(R"(
        thread_start lane=0 time=1 tid=10
        thread_start lane=1 time=2 tid=11
        thread_start lane=2 time=3 tid=12
        acquire lane=0 time=10 size=100 address=0x1000
        acquire lane=1 time=11 size=100 address=0x2000
        release lane=2 time=12 address=0x7000
        acquire lane=2 time=20 size=50 address=0x1000
        acquire lane=2 time=21 size=50 address=0x2000
    )");
    CHECK(model.capture.anomalies == 1);
    REQUIRE(model.capture.first_anomalies.size() == 1);
    CHECK(model.capture.first_anomalies[0].address == 0x7000);
}
