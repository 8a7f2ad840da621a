// SPDX-License-Identifier: Apache-2.0
//
// What the system says about itself, and what it means for a recording. The functions that judge
// take plain facts, so that tests can give them those of other machines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "launcher/doctor/finding.h"

namespace memtrace::launcher {

struct Memory {
    int overcommit = 0;                   // vm.overcommit_memory
    uint64_t commit_left = UINT64_MAX;    // bytes that a strict kernel still promises
    uint64_t address_limit = UINT64_MAX;  // the lower one of RLIMIT_AS and RLIMIT_DATA
    uint64_t file_limit = UINT64_MAX;     // RLIMIT_FSIZE
};

struct SystemCalls {
    int seccomp = 0;                // the mode in /proc/self/status
    bool reads_processes = true;    // process_vm_readv works
    std::optional<int> yama_scope;  // kernel.yama.ptrace_scope; nothing: no such setting
};

// The facts of this machine. `root` is prepended to the paths of /proc and /etc.
std::string system_name(std::string_view root = "");  // "Debian GNU/Linux 12 (bookworm), Linux 6.1"
Memory read_memory(std::string_view root = "");
SystemCalls read_system_calls(std::string_view root = "");

// `works`: the trial was recorded.
Finding judge_libc(std::string_view version, bool works);
Findings judge_system_calls(const SystemCalls& calls, bool works);
Findings judge_memory(const Memory& memory);

}  // namespace memtrace::launcher
