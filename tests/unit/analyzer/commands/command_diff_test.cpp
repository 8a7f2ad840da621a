// SPDX-License-Identifier: Apache-2.0
//
// `diff` takes two recordings and reports after the second.
#include <fstream>

#include "analyzer/base/json_text.h"
#include "tests/tools/files.h"
#include "tests/unit/analyzer/commands/requests.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

TEST_CASE("diff compares two recordings, no more and no fewer") {
    CHECK(is_refused({"diff"}));
    CHECK(is_refused({"diff", "a.bin"}));
    CHECK(is_refused({"diff", "a.bin", "b.bin", "c.bin"}));
    CHECK(request_of({"diff", "a.bin", "b.bin"}).dumps.size() == 2);
}

TEST_CASE("diff compares steps of whole recordings") {
    CHECK(load_options_of({"diff", "a.bin", "b.bin"}).slices.has_value());
    CHECK_FALSE(load_options_of({"diff", "a.bin", "b.bin", "--from", "1s"}).slices.has_value());
    CHECK_FALSE(load_options_of({"diff", "a.bin", "b.bin", "--phase", "load"}).slices.has_value());
}

TEST_CASE("diff says what differs when both are read, and writes one JSON document") {
    const memtrace::test::TempFolder place;
    const std::string file = place.file("diff.json");
    const Request request = request_of({"diff", "a", "b", "--json", file.c_str()});
    const std::unique_ptr<CommandRun> run = start_command(request);
    CHECK(run->add(training().recording, Reload()).write_text == nullptr);
    run->add(python_training().recording, Reload());
    CHECK_THAT(run->finish(exit_fine), Contains("Peak of host"));
    std::ifstream in(file);
    CHECK(Json::parse(in)["spaces"].size() == 1);
}

TEST_CASE("diff says that its JSON cannot be written before it reads anything") {
    const Request request = request_of({"diff", "a", "b", "--json", "/no/such/folder/diff.json"});
    CHECK_THROWS_WITH(start_command(request), Contains("/no/such/folder/diff.json"));
}

TEST_CASE("diff of one readable recording compares nothing") {
    const Request request = request_of({"diff", "a", "b"});
    const std::unique_ptr<CommandRun> run = start_command(request);
    run->add(training().recording, Reload());
    CHECK_THAT(run->finish(exit_cannot), Contains("Nothing was compared"));
}
