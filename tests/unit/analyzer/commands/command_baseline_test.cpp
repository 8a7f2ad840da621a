// SPDX-License-Identifier: Apache-2.0
//
// `baseline` as a command: what it loads, what it prints, and when it writes nothing. The figures
// are tested in command_check_test.cpp, together with the check that reads them.
#include "analyzer/commands/command_baseline.h"

#include <filesystem>

#include "tests/unit/analyzer/check/checks.h"
#include "tests/unit/analyzer/commands/requests.h"
#include "tests/unit/analyzer/symbolise/fixture.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

Request baseline_to(const std::string& path) {
    Request request;
    request.command = &command_baseline;
    request.check.output = path;
    return request;
}

}  // namespace

TEST_CASE("a baseline is of whole recordings") {
    const LoadOptions options = load_options_of({"--phase", "train", "baseline", "a.bin"});
    CHECK(options.phases.only.empty());
    CHECK(is_refused({"baseline", "a.bin", "--json", "-"}));
}

TEST_CASE("the text of baseline is one sentence, after the last dump") {
    const Folder place;
    const std::string path = (place.path / "base.json").string();
    const Request request = baseline_to(path);
    const CommandOutput output = output_of(request, program({{"load", 100'000}}).recording);
    CHECK_THAT(output.text, Contains("base.json was written from 1 recording;"));
    CHECK(output.json.empty());
    CHECK(std::filesystem::exists(path));
}

TEST_CASE("no baseline is written after an error") {
    const Folder place;
    const std::string path = (place.path / "base.json").string();
    const Request request = baseline_to(path);
    const std::unique_ptr<CommandRun> run = start_command(request);
    run->add(program({{"load", 100'000}}).recording, load_once);
    CHECK_FALSE(run->add_unread("b.bin", "b.bin is not a dump"));
    CHECK(run->finish(exit_cannot).empty());
    CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("the file is the one of --output, or else the baseline of the configuration") {
    const Folder place;
    CheckOptions options;
    options.baseline = (place.path / "config.json").string();
    BaselineMaker maker(options);
    CHECK(maker.add(program({{"load", 100'000}}).recording).empty());
    CHECK_THAT(maker.finish(), Contains("config.json was written"));
    CHECK(std::filesystem::exists(options.baseline));
}
