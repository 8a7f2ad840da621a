// SPDX-License-Identifier: Apache-2.0
#include "preload/lost/shared_pages.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <vector>

#include "tests/unit/test.h"

using namespace memtrace::preload;

namespace {

constexpr size_t page = 4096, pages = 16;

// Which pages of a mapping this process has in its page table.
std::vector<size_t> entered(const void* mapping) {
    std::vector<size_t> numbers;
    const int file = open("/proc/self/pagemap", O_RDONLY);
    uint64_t entries[pages] = {};
    const auto first = reinterpret_cast<uintptr_t>(mapping) / page;
    REQUIRE(pread(file, entries, sizeof entries, static_cast<off_t>(first * sizeof(uint64_t))) ==
            sizeof entries);
    close(file);
    for (size_t i = 0; i < pages; ++i) {
        if ((entries[i] >> 63) != 0) numbers.push_back(i);
    }
    return numbers;
}

}  // namespace

TEST_CASE("pages of shared memory are entered that others have written, and none is made") {
    const int file = memfd_create("test", 0);
    REQUIRE(ftruncate(file, pages * page) == 0);
    for (const off_t number : {3, 4, 9}) REQUIRE(pwrite(file, "x", 1, number * page) == 1);
    void* const shared = mmap(nullptr, pages * page, PROT_READ, MAP_SHARED, file, 0);
    CHECK(entered(shared).empty());
    enter_shared_pages();
    CHECK(entered(shared) == std::vector<size_t>{3, 4, 9});
    munmap(shared, pages * page);
    close(file);
}

TEST_CASE("of shared mappings, devices are left alone, and files that cannot be written to") {
    CHECK(may_have_shared_pages("rw-s", "/dev/zero (deleted)"));
    CHECK(may_have_shared_pages("r--s", "/memfd:x (deleted)"));
    CHECK(may_have_shared_pages("r--p", "/memfd:x (deleted)"));
    CHECK(may_have_shared_pages("rw-s", "/dev/shm/x"));
    CHECK(may_have_shared_pages("rw-s", "/var/cache/x"));
    CHECK_FALSE(may_have_shared_pages("r--s", "/var/cache/x"));
    CHECK_FALSE(may_have_shared_pages("r--p", "/var/cache/x"));
    CHECK_FALSE(may_have_shared_pages("rw-s", "/dev/nvidia0"));
    CHECK_FALSE(may_have_shared_pages("rw-s", "anon_inode:[perf_event]"));
    CHECK_FALSE(may_have_shared_pages("rw-p", ""));
    CHECK_FALSE(may_have_shared_pages("---s", "/memfd:x"));
    CHECK_FALSE(may_have_shared_pages("", ""));
}
