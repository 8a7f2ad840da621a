// SPDX-License-Identifier: Apache-2.0
//
// Dumps that cannot be read. The commands are tested where dumps are made.
#include "analyzer/cli/run.h"

#include "analyzer/base/error.h"
#include "tests/unit/analyzer/symbolise/fixture.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

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
