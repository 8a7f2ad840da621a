// SPDX-License-Identifier: Apache-2.0
//
// Whether the process that writes a dump still runs.
#include "analyzer/reader/writer_process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "tests/unit/analyzer/symbolise/fixture.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

// Returns field 22 of /proc/PID/stat. The name of this process has no spaces.
uint64_t start_of(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string field;
    for (int number = 1; number <= 22; ++number) file >> field;
    return std::stoull(field);
}

}  // namespace

TEST_CASE("a process runs until it is dead, and another start is another process") {
    const auto self = static_cast<uint64_t>(getpid());
    CHECK(inner_process_id("/proc/self") == self);
    CHECK(running_process(self, start_of(getpid())) == self);
    CHECK(running_process(self, start_of(getpid()) + 1) == 0);
    CHECK(running_process(0, 0) == 0);
    CHECK(running_process(self, 0) == 0);
    CHECK(inner_process_id("/proc/none") == 0);
}

TEST_CASE("a zombie does not run") {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
        char byte;
        _exit(read(ends[0], &byte, 1) == 1 ? 0 : 1);
    }
    const uint64_t start = start_of(child);
    CHECK(running_process(static_cast<uint64_t>(child), start) == static_cast<uint64_t>(child));
    REQUIRE(write(ends[1], "x", 1) == 1);
    siginfo_t info;
    REQUIRE(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) == 0);
    CHECK(running_process(static_cast<uint64_t>(child), start) == 0);
    waitpid(child, nullptr, 0);
    close(ends[0]);
    close(ends[1]);
}

TEST_CASE("a process may have brackets and ends of lines in its name") {
    const Folder folder;
    const auto field = [&](const std::string& stat, int number) {
        std::ofstream(folder.path / "stat") << stat;
        return process_stat(folder.path, number);
    };
    CHECK(field("7 (plain) S 1 2\n", 3) == "S");
    CHECK(field("7 (a) R (b) S 1 2\n", 4) == "1");
    CHECK(field("7 (two\nlines) S 1 2\n", 4) == "1");
    CHECK(field("7 (two\nlines) S 1 2\n", 9).empty());
    CHECK(field("", 3).empty());
}
