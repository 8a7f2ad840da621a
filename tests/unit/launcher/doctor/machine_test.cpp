// SPDX-License-Identifier: Apache-2.0
//
// Facts of other machines are judged, and files as other machines have them are read.
#include "launcher/doctor/machine.h"

#include <filesystem>
#include <fstream>

#include "tests/unit/test.h"

using namespace memtrace::launcher;

namespace {

void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << text;
}

bool has(const Finding& finding, const std::string& part) {
    return finding.found.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("glibc: new, old and recorded, old and not recorded", "[launcher]") {
    CHECK(judge_libc("2.36", true).state == State::ok);
    CHECK(judge_libc("2.31", true).state == State::ok);
    CHECK(has(judge_libc("2.31", true), "/proc/self/maps"));
    CHECK(judge_libc("2.31", false).state == State::no);
    CHECK(judge_libc("2.31.9000", false).state == State::no);
}

TEST_CASE("system calls: filters and refusals", "[launcher]") {
    CHECK(judge_system_calls({0, true, {}}, true)[0].state == State::ok);
    CHECK(judge_system_calls({2, true, 1}, true)[0].state == State::ok);
    CHECK(judge_system_calls({2, true, 1}, false)[0].state == State::no);
    const Findings refused = judge_system_calls({2, false, 1}, true);
    REQUIRE(refused.size() == 3);
    CHECK(refused[1].state == State::limited);
    CHECK(has(refused[2], "scope 1"));
}

TEST_CASE("memory: limits and strict overcommit", "[launcher]") {
    CHECK(judge_memory({}).at(0).state == State::ok);
    CHECK(judge_memory({2, uint64_t{1} << 40, UINT64_MAX, UINT64_MAX}).at(0).state == State::ok);
    CHECK(judge_memory({2, 1 << 20, UINT64_MAX, UINT64_MAX}).at(0).state == State::limited);
    CHECK(judge_memory({0, 0, uint64_t{100} << 20, UINT64_MAX}).at(0).state == State::no);
    CHECK(judge_memory({0, 0, uint64_t{8} << 30, UINT64_MAX}).at(0).state == State::limited);
    CHECK(judge_memory({0, 0, UINT64_MAX, 1 << 20}).at(0).state == State::limited);
}

TEST_CASE("facts are read from /proc and /etc, and missing files are no failure", "[launcher]") {
    char pattern[] = "/tmp/memtrace-doctor-XXXXXX";
    const std::string root = mkdtemp(pattern);
    CHECK(read_memory(root).overcommit == 0);
    CHECK_FALSE(read_system_calls(root).yama_scope);
    write(root + "/proc/sys/vm/overcommit_memory", "2\n");
    write(root + "/proc/meminfo",
          "MemTotal: 9 kB\nCommitLimit:     3000 kB\nCommitted_AS: 1000 kB\n");
    write(root + "/proc/self/status", "Name:\tx\nSeccomp:\t2\nSeccomp_filters:\t1\n");
    write(root + "/proc/sys/kernel/yama/ptrace_scope", "3\n");
    write(root + "/etc/os-release", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 11\"\n");
    CHECK(read_memory(root).overcommit == 2);
    CHECK(read_memory(root).commit_left == 2000 * 1024);
    CHECK(read_system_calls(root).seccomp == 2);
    CHECK(read_system_calls(root).yama_scope == 3);
    CHECK(system_name(root).starts_with("Debian GNU/Linux 11, Linux "));
    std::filesystem::remove_all(root);
}
