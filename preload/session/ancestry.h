// SPDX-License-Identifier: Apache-2.0
//
// Finds the parent that matters for this process. The direct parent may only be a launcher
// (launchers.def): a shell, or `timeout`. Launchers are skipped. So a program started by a script
// is the first process if the user preloaded the shim into the script, and a child if a recorded
// program ran the script.
#pragma once

#include <cstdint>
#include <string_view>

namespace memtrace::preload {

enum class Launcher : uint8_t { none, wrapper, shell, tool, starter };

// Classifies an executable by its file name, with or without folders.
Launcher launcher_kind(std::string_view executable);

struct Ancestry {
    Launcher own_kind = Launcher::none;  // kind of this process itself
    int parent = 0;                      // nearest process with the shim that is no launcher, or 0
    bool from_shell = false;             // a shell with the shim is in between
    // Start of the outermost launcher in between, as returned by process_start_of(), or 0.
    uint64_t launched_at = 0;
};

Ancestry find_ancestry();

// True if both processes run the same file.
bool same_executable(int other_pid);

}  // namespace memtrace::preload
