// SPDX-License-Identifier: Apache-2.0
//
// The folder where the dump will be: its file system and its space.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "launcher/doctor/finding.h"

namespace memtrace::launcher {

struct Place {
    std::string folder;
    std::string file_system;  // as mountinfo has it: "ext4"; empty: not known
    uint64_t free_bytes = 0;  // for this user
    bool is_folder = false;
    bool is_writable = false;
    uint64_t longest_file = 0;  // bytes that a file may have (RLIMIT_FSIZE); 0: any number
};

// Returns the folder of a dump: the part of MEMTRACE_OUTPUT that has no % and ends at a slash, or
// "." if there is none.
std::string folder_of(std::string_view output);

// Returns the type of the file system of an absolute path without links, from the text of
// /proc/self/mountinfo.
std::string file_system_of(std::string_view path, std::string_view mountinfo);

Place read_place(const std::string& folder);
Finding judge_place(const Place& place);

}  // namespace memtrace::launcher
