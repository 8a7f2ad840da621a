// SPDX-License-Identifier: Apache-2.0
//
// `profile` writes one file for each dump, beside it unless -o names another.
#include "tests/unit/analyzer/profile/profiles.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

TEST_CASE("profile loads everything that a report may need, and has no JSON") {
    const LoadOptions options = load_options_of({"profile", "a.bin", "-o", "b"});
    CHECK(options.phases.list);
    CHECK(options.slices.has_value());
    CHECK(is_refused({"profile", "a.bin", "--json", "-"}));
    CHECK(is_refused({"profile", "a.bin", "b.bin", "-o", "c"}));
}

TEST_CASE("profile writes the file and says what is in it") {
    const memtrace::test::TempFolder place;
    Recording recording = completed(training().recording);
    recording.path = place.file("run.bin");
    const CommandOutput output = output_of(request_of({"profile", "x"}), recording);
    CHECK_THAT(output.text, Contains(place.file("run.profile") + " was written: ") &&
                                Contains(", 3 call stacks in 1 space; exact.\n"));
    CHECK(reports_of(read_profile(place.file("run.profile"))) == reports_of(recording));
    recording.model.capture.lost_events = 2;
    const std::string other = place.file("other");
    const CommandOutput named =
        output_of(request_of({"profile", "x", "-o", other.c_str()}), recording);
    CHECK_THAT(named.text, Contains("exact; 2 events lost.\n"));
    CHECK(is_profile(other));
}

TEST_CASE("profile says what is exact and what is not") {
    const memtrace::test::TempFolder place;
    Recording recording = completed(training().recording);
    recording.path = place.file("run.bin");
    recording.model.spaces[0].is_estimate = true;
    CHECK_THAT(output_of(request_of({"profile", "x"}), recording).text,
               Contains("; exact but for host, estimated from a sample.\n"));
}
