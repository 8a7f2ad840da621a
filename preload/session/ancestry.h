// SPDX-License-Identifier: Apache-2.0
//
// Whose child is this process? What starts it may only be a launcher (launchers.def): a shell, or
// `timeout`. Those are looked through, so that a program which a script starts is the first process
// where the user means it, and a child where a recorded program ran the script.
#pragma once

#include <cstdint>
#include <string_view>

namespace memtrace::preload {

enum class Launcher : uint8_t { none, wrapper, shell, tool, starter };

// By the file name of an executable, with or without folders.
Launcher launcher_kind(std::string_view executable);

struct Ancestry {
    Launcher own_kind = Launcher::none;  // what this process itself is
    int parent = 0;  // the nearest process with the shim that is no launcher; 0: there is none
    bool from_shell = false;  // a shell with the shim stands between
    // When the outermost of the launchers between started, as process_start_of() says; 0: none.
    uint64_t launched_at = 0;
};

Ancestry find_ancestry();

// Whether both run the same file.
bool same_executable(int other_pid);

}  // namespace memtrace::preload
