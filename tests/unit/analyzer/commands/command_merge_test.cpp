// SPDX-License-Identifier: Apache-2.0
//
// `merge` writes one profile of several dumps or profiles, or none if one of them cannot be read.
#include "tests/unit/analyzer/profile/profiles.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

TEST_CASE("merge needs the name of its output, and has no JSON") {
    CHECK(is_refused({"merge", "a.bin", "b.bin"}));
    CHECK(is_refused({"merge", "a.bin", "-o", "b", "--json", "-"}));
    CHECK(load_options_of({"merge", "a.bin", "-o", "b"}).slices.has_value());
}

TEST_CASE("merge writes the sum once all files are read") {
    const memtrace::test::TempFolder place;
    const std::string path = place.file("sum.profile");
    const Request request = request_of({"merge", "a.bin", "b.bin", "-o", path.c_str()});
    Recording recording = completed(training().recording);
    {
        const auto run = start_command(request);
        run->add(recording, load_once);
        CHECK_THAT(run->finish(exit_cannot), Contains("Nothing was merged"));
        CHECK_FALSE(is_profile(path));
    }
    const auto run = start_command(request);
    run->add(recording, load_once);
    recording.model.process.pid = 43;
    run->add(recording, load_once);
    CHECK_THAT(run->finish(exit_fine),
               Contains(", 3 call stacks in 1 space of 2 recordings; sums are exact, peaks are "
                        "upper bounds.\n"));
    CHECK(read_profile(path).merged.processes.size() == 2);
}

TEST_CASE("merge counts no process twice, in whatever files it is") {
    const memtrace::test::TempFolder place;
    const std::string path = place.file("sum.profile");
    const Request request = request_of({"merge", "a.bin", "b.bin", "-o", path.c_str()});
    Recording recording = completed(training().recording);
    recording.model.process.start_realtime_ns = 5;
    {
        const auto run = start_command(request);
        run->add(recording, load_once);
        CHECK_THROWS_WITH(run->add(recording, load_once),
                          Contains("would count twice; name each recording once"));
    }
    Recording other = recording;
    other.model.process.start_realtime_ns = 6;  // The number of the process came again.
    Recording sum = recording;
    for (const Recording& part : {recording, other}) {
        ProcessPart process;
        process.process = part.model.process;
        sum.merged.processes.push_back(process);
    }
    const auto run = start_command(request);
    run->add(sum, load_once);
    CHECK_THROWS_WITH(run->add(other, load_once), Contains("would count twice"));
}
