// SPDX-License-Identifier: Apache-2.0
//
// The limits of memory, read from folders that look like the kernel's.
#include "preload/host/machine_memory.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/unit/analyzer/symbolise/fixture.h"
#include "tests/unit/test.h"

using namespace memtrace::preload;
using memtrace::analyzer::Folder;

namespace {

void put(const Folder& root, const std::string& path, const std::string& text) {
    const std::filesystem::path file = root.path / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
}

}  // namespace

TEST_CASE("the machine says how much memory it has, as its C library does") {
    const auto pages = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES));
    const auto bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    CHECK(machine_memory() == pages * bytes);
}

TEST_CASE("version 2: the least of a group and of those that it lies in") {
    const Folder root;
    put(root, "proc/self/cgroup", "0::/job/step\n");
    CHECK(group_memory_limit(root.path.string()) == 0);
    put(root, "sys/fs/cgroup/job/step/memory.max", "max\n");
    CHECK(group_memory_limit(root.path.string()) == 0);
    put(root, "sys/fs/cgroup/job/memory.max", "3000000\n");
    CHECK(group_memory_limit(root.path.string()) == 3'000'000);
    put(root, "sys/fs/cgroup/job/step/memory.max", "2000000\n");
    CHECK(group_memory_limit(root.path.string()) == 2'000'000);
    put(root, "sys/fs/cgroup/job/memory.max", "1000000\n");
    CHECK(group_memory_limit(root.path.string()) == 1'000'000);
}

TEST_CASE("version 1: the group of its memory, and none where it is without end") {
    const Folder root;
    put(root, "proc/self/cgroup", "9:cpu,cpuacct:/other\n4:hugetlb,memory:/job\n0::/\n");
    put(root, "sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put(root, "sys/fs/cgroup/memory/other/memory.limit_in_bytes", "5\n");
    CHECK(group_memory_limit(root.path.string()) == 0);
    put(root, "sys/fs/cgroup/memory/job/memory.limit_in_bytes", "4096000\n");
    CHECK(group_memory_limit(root.path.string()) == 4'096'000);
}

TEST_CASE("in a container the way is the host's, and the upper end is the container's own group") {
    const Folder root;
    put(root, "proc/self/cgroup", "4:memory:/docker/0123abcd\n");
    put(root, "sys/fs/cgroup/memory/memory.limit_in_bytes", "8192000\n");
    CHECK(group_memory_limit(root.path.string()) == 8'192'000);
}

TEST_CASE("what is not there, or cannot be understood, is no limit") {
    const Folder root;
    CHECK(group_memory_limit(root.path.string()) == 0);
    put(root, "proc/self/cgroup", "nonsense\n4:memory\n::\n:\n\n0::");
    CHECK(group_memory_limit(root.path.string()) == 0);
    put(root, "sys/fs/cgroup/memory.max", "many");
    CHECK(group_memory_limit(root.path.string()) == 0);
}
