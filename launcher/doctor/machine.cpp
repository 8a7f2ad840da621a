// SPDX-License-Identifier: Apache-2.0
#include "launcher/doctor/machine.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "analyzer/base/units.h"

namespace memtrace::launcher {
namespace {

using analyzer::human_bytes;

constexpr uint64_t room_min = uint64_t{144} << 20;  // as docs/use/limits.md says
// The version of glibc from which on the loader finds unwind tables without a lock.
constexpr int fast_libc_minor = 35;

std::string text_of(std::string_view root, const char* path) {
    std::ifstream file(std::string(root) + path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

// Returns the rest of the line that begins with `key`, or an empty string.
std::string value_of(const std::string& text, std::string_view key) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (!std::string_view(line).starts_with(key)) continue;
        const size_t begin = line.find_first_not_of(" \t", key.size());
        return begin == std::string::npos ? "" : line.substr(begin);
    }
    return "";
}

std::optional<int> number_in(const std::string& text) {
    char* end = nullptr;
    const long number = std::strtol(text.c_str(), &end, 10);
    return end == text.c_str() ? std::nullopt : std::optional<int>(static_cast<int>(number));
}

uint64_t limit_of(__rlimit_resource resource) {
    struct rlimit limit {};
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
    return limit.rlim_cur;
}

// Returns the bytes of a line of /proc/meminfo.
std::optional<uint64_t> memory_of(const std::string& meminfo, std::string_view key) {
    const std::string value = value_of(meminfo, key);
    if (value.empty()) return {};
    return std::strtoull(value.c_str(), nullptr, 10) * 1024;
}

}  // namespace

std::string system_name(std::string_view root) {
    std::string name = value_of(text_of(root, "/etc/os-release"), "PRETTY_NAME=");
    name.erase(std::remove(name.begin(), name.end(), '"'), name.end());
    struct utsname kernel {};
    uname(&kernel);
    return fmt::format("{}{}, {} {}", name, name.empty() ? "an unnamed system" : "", kernel.sysname,
                       kernel.release);
}

Memory read_memory(std::string_view root) {
    Memory memory;
    memory.overcommit = number_in(text_of(root, "/proc/sys/vm/overcommit_memory")).value_or(0);
    const std::string meminfo = text_of(root, "/proc/meminfo");
    const auto limit = memory_of(meminfo, "CommitLimit:");
    const auto used = memory_of(meminfo, "Committed_AS:");
    if (limit && used) memory.commit_left = *limit - std::min(*limit, *used);
    memory.address_limit = std::min(limit_of(RLIMIT_AS), limit_of(RLIMIT_DATA));
    memory.file_limit = limit_of(RLIMIT_FSIZE);
    return memory;
}

SystemCalls read_system_calls(std::string_view root) {
    SystemCalls calls;
    calls.seccomp = number_in(value_of(text_of(root, "/proc/self/status"), "Seccomp:")).value_or(0);
    char from = 0, to = 0;
    const iovec there{&from, 1}, here{&to, 1};
    calls.reads_processes = process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 1;
    calls.yama_scope = number_in(text_of(root, "/proc/sys/kernel/yama/ptrace_scope"));
    return calls;
}

Finding judge_libc(std::string_view version, bool works) {
    const size_t dot = version.find('.');
    const int minor =
        dot == version.npos ? 0 : number_in(std::string(version.substr(dot + 1))).value_or(0);
    if (minor >= fast_libc_minor) return {"glibc", State::ok, std::string(version), ""};
    if (works) {
        return {"glibc", State::ok,
                fmt::format("{}: code is found in /proc/self/maps, because the loader has no "
                            "table of it before 2.{}",
                            version, fast_libc_minor),
                ""};
    }
    return {"glibc", State::no,
            fmt::format("{}: this build may need glibc 2.{}", version, fast_libc_minor),
            "Install the wheel (pip install libmemtrace), which runs with glibc 2.28 and newer."};
}

Findings judge_system_calls(const SystemCalls& calls, bool works) {
    Findings findings;
    if (calls.seccomp == 0) {
        findings.push_back({"seccomp", State::ok, "no filter of system calls", ""});
    } else if (works) {
        findings.push_back({"seccomp", State::ok,
                            "a filter of system calls is inherited, and the trial passed it", ""});
    } else {
        findings.push_back({"seccomp", State::no,
                            "a filter of system calls is inherited, and the trial failed",
                            "Try it without the filter: docker run --security-opt "
                            "seccomp=unconfined, or SystemCallFilter= of the service."});
    }
    if (!calls.reads_processes) {
        findings.push_back({"seccomp", State::limited,
                            "process_vm_readv is refused: the recording of a program that sets a "
                            "filter of its own stops there",
                            "Allow process_vm_readv (in containers: --cap-add SYS_PTRACE)."});
    }
    findings.push_back(
        {"ptrace", State::ok,
         calls.yama_scope
             ? fmt::format("yama scope {}; recording does not need ptrace", *calls.yama_scope)
             : "no restriction by yama; recording does not need ptrace",
         ""});
    return findings;
}

Findings judge_memory(const Memory& memory) {
    Findings findings;
    const bool is_strict = memory.overcommit == 2;
    if (memory.address_limit < room_min) {
        findings.push_back({"memory", State::no,
                            fmt::format("a limit of {} on addresses leaves less than {}, so "
                                        "programs run unrecorded",
                                        human_bytes(memory.address_limit), human_bytes(room_min)),
                            "Raise it: ulimit -v unlimited; ulimit -d unlimited."});
    } else if (memory.address_limit != UINT64_MAX) {
        findings.push_back({"memory", State::limited,
                            fmt::format("a limit of {} on addresses: a program that leaves less "
                                        "than {} of them runs unrecorded",
                                        human_bytes(memory.address_limit), human_bytes(room_min)),
                            "ulimit -v unlimited; ulimit -d unlimited."});
    }
    if (is_strict && memory.commit_left < room_min) {
        findings.push_back({"memory", State::limited,
                            fmt::format("the kernel promises no more than it has "
                                        "(vm.overcommit_memory=2), and {} are left",
                                        human_bytes(memory.commit_left)),
                            "Set vm.overcommit_memory=0, or leave more memory free."});
    }
    if (memory.file_limit != UINT64_MAX) {
        findings.push_back({"memory", State::limited,
                            fmt::format("a limit of {} on files: a dump ends there, and says so",
                                        human_bytes(memory.file_limit)),
                            "ulimit -f unlimited."});
    }
    if (findings.empty()) {
        findings.push_back({"memory", State::ok,
                            is_strict
                                ? fmt::format("strict overcommit, {} left to promise; no limits",
                                              human_bytes(memory.commit_left))
                                : fmt::format("overcommit mode {}; no limits on addresses or files",
                                              memory.overcommit),
                            ""});
    }
    return findings;
}

}  // namespace memtrace::launcher
