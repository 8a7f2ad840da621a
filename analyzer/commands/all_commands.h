// SPDX-License-Identifier: Apache-2.0
//
// The table of all commands. command.h describes what a command is.
#pragma once

#include <array>

namespace memtrace::analyzer {

struct Command;

#define MEMTRACE_COMMAND(name) extern const Command command_##name;
#include "analyzer/commands/all_commands.def"

// In the order of --help. The first is the default.
inline constexpr auto all_commands = std::to_array<const Command*>({
#define MEMTRACE_COMMAND(name) &command_##name,
#include "analyzer/commands/all_commands.def"
});

}  // namespace memtrace::analyzer
