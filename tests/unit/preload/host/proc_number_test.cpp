// SPDX-License-Identifier: Apache-2.0
#include "preload/host/proc_number.h"

#include <fstream>

#include "tests/unit/analyzer/symbolise/fixture.h"
#include "tests/unit/test.h"

using namespace memtrace::preload;
using memtrace::analyzer::Folder;

TEST_CASE("a number is found by the word in front of it") {
    const Folder folder;
    const std::string path = (folder.path / "status").string();
    std::ofstream(path) << "Name:\tThreads: 9\nVmHWM:\t    1234 kB\nThreads:\t3\nEmpty:\n";
    CHECK(proc_number(path.c_str(), "VmHWM:", 7) == 1234);
    CHECK(proc_number(path.c_str(), "Threads:", 7) == 3);
    CHECK(proc_number(path.c_str(), "Empty:", 7) == 0);
    CHECK(proc_number(path.c_str(), "Missing:", 7) == 7);
    CHECK(proc_number("/no/such/file", "Threads:", 7) == 7);
}

TEST_CASE("this process has a thread, and memory") {
    CHECK(proc_number("/proc/self/status", "Threads:", 0) >= 1);
    const uint64_t resident = resident_bytes();
    CHECK(resident >= 1 << 20);
    CHECK(resident <= proc_number("/proc/self/status", "VmHWM:", 0) * 1024 + (1 << 20));
}
