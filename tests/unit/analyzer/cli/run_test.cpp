// SPDX-License-Identifier: Apache-2.0
//
// The dump that is read if none is named, and dumps that cannot be read. The commands are tested
// where dumps are made.
#include "analyzer/cli/run.h"

#include "analyzer/base/error.h"
#include "tests/unit/analyzer/symbolise/fixture.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("the newest memtrace.*.bin of a folder") {
    const Folder place;
    CHECK_FALSE(newest_dump(place.path).has_value());
    const auto now = std::filesystem::file_time_type::clock::now();
    const auto make = [&](const char* name, int seconds) {
        std::ofstream(place.path / name) << "x";
        std::filesystem::last_write_time(place.path / name, now + std::chrono::seconds(seconds));
    };
    make("memtrace.old.1.bin", -60);
    make("memtrace.new.2.bin", -30);
    make("memtrace.newer.3.bin.json", -20);
    make("other.bin", -10);
    std::filesystem::create_directories(place.path / "memtrace.folder.bin");
    CHECK(newest_dump(place.path) == (place.path / "memtrace.new.2.bin").string());
    CHECK_FALSE(newest_dump(place.path / "missing").has_value());
}

TEST_CASE("a dump that is not there is an error; among several it is only reported") {
    Request request;
    request.dumps = {"/nonexistent/a.bin"};
    CHECK_THROWS_AS(run(request), Error);
    request.dumps = {"/nonexistent/a.bin", "/nonexistent/b.bin"};
    request.json = "/dev/null";
    CHECK(run(request) == exit_cannot);
}

TEST_CASE("a dump that check cannot read is in its files") {
    const Folder place;
    Request request;
    request.command = &command_check;
    request.json = "/dev/null";
    request.dumps = {"/nonexistent/a.bin"};
    request.check.junit = (place.path / "found.xml").string();
    request.check.limits = {Limit{}};
    CHECK(run(request) == exit_cannot);
    std::ifstream file(request.check.junit);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    CHECK_THAT(text, Catch::Matchers::Contains("errors=\"1\"") &&
                         Catch::Matchers::Contains("/nonexistent/a.bin"));
}
