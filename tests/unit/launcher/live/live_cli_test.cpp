// SPDX-License-Identifier: Apache-2.0
//
// The command lines of top, serve, snapshot, start and stop.
#include "launcher/live/live_cli.h"

#include "analyzer/commands/command.h"
#include "tests/unit/test.h"

using namespace memtrace::launcher;
using memtrace::analyzer::exit_cannot;

TEST_CASE("top has a program and how to show it") {
    const TopRequest request = std::get<TopRequest>(
        parse_top({"4711", "--interval", "0.5", "--sort", "growth", "--space", "python"}));
    CHECK(request.program == "4711");
    CHECK(request.seconds == 0.5);
    CHECK(request.sort == "growth");
    CHECK(request.space == "python");
    CHECK_FALSE(request.once);
    CHECK(std::get<TopRequest>(parse_top({})).program.empty());
}

TEST_CASE("serve listens on this machine alone unless told otherwise") {
    const ServeRequest request = std::get<ServeRequest>(parse_serve({"--port", "9000"}));
    CHECK(request.port == 9000);
    CHECK(request.address == "127.0.0.1");
}

TEST_CASE("a typing error is said, and nothing is done") {
    CHECK(std::get<int>(parse_top({"--sort", "size"})) == exit_cannot);
    CHECK(std::get<int>(parse_top({"--interval", "0"})) == exit_cannot);
    CHECK(std::get<int>(parse_serve({"--port", "99999"})) == exit_cannot);
    CHECK(std::get<int>(parse_snapshot({"1", "2"})) == exit_cannot);
    // The next word would be the value.
    CHECK(std::get<int>(parse_top({"--space=", "4711"})) == exit_cannot);
    CHECK(std::get<int>(parse_snapshot({"--output=", "4711"})) == exit_cannot);
}

TEST_CASE("snapshot names its file") {
    CHECK(std::get<SnapshotRequest>(parse_snapshot({"-o", "now.profile"})).output == "now.profile");
}

TEST_CASE("start and stop name a program") {
    CHECK(std::get<SwitchRequest>(parse_start({"4711"})).program == "4711");
    CHECK(std::get<SwitchRequest>(parse_stop({})).program.empty());
    CHECK(std::get<int>(parse_stop({"1", "2"})) == exit_cannot);
}
