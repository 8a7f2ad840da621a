// SPDX-License-Identifier: Apache-2.0
//
// The command lines of `memtrace top`, `serve`, `snapshot`, `lost`, `start` and `stop`.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "launcher/live/lost.h"
#include "launcher/live/serve.h"
#include "launcher/live/snapshot.h"
#include "launcher/live/start_stop.h"
#include "launcher/live/top.h"

namespace CLI {
class App;
}

namespace memtrace::launcher {

// Add the options of each command.
void declare_top(CLI::App& app, TopRequest& request);
void declare_serve(CLI::App& app, ServeRequest& request);
void declare_snapshot(CLI::App& app, SnapshotRequest& request);
void declare_lost(CLI::App& app, LostRequestOfUser& request);
void declare_start(CLI::App& app, SwitchRequest& request);
void declare_stop(CLI::App& app, SwitchRequest& request);

// Parse the words after the name of the command. They return an exit code if there is nothing to
// do. In that case help or a sentence about the misuse has been printed.
std::variant<TopRequest, int> parse_top(const std::vector<std::string>& words);
std::variant<ServeRequest, int> parse_serve(const std::vector<std::string>& words);
std::variant<SnapshotRequest, int> parse_snapshot(const std::vector<std::string>& words);
std::variant<LostRequestOfUser, int> parse_lost(const std::vector<std::string>& words);
std::variant<SwitchRequest, int> parse_start(const std::vector<std::string>& words);
std::variant<SwitchRequest, int> parse_stop(const std::vector<std::string>& words);

}  // namespace memtrace::launcher
