// SPDX-License-Identifier: Apache-2.0
#include "analyzer/lost/mappings.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

constexpr uint64_t page = 4096, pages = 16;

struct TestFile {
    TestFile() : file(mkstemp(path)) {
        REQUIRE(ftruncate(file, pages * page) == 0);
        REQUIRE(pwrite(file, "x", 1, 5 * page) == 1);
        struct stat status;
        REQUIRE(fstat(file, &status) == 0);
        mapping = {.begin = 0x7f0000000000,
                   .end = 0x7f0000000000 + (pages - 2) * page,
                   .read = true,
                   .is_shared = true,
                   .path = path,
                   .offset = 2 * page,
                   .inode = status.st_ino};
    }
    ~TestFile() {
        close(file);
        unlink(path);
    }

    char path[32] = "/tmp/memtrace-test-XXXXXX";
    int file;
    Mapping mapping;
};

uint64_t self() { return static_cast<uint64_t>(getpid()); }

}  // namespace

TEST_CASE("mappings have their rights and names") {
    const std::vector<Mapping> mappings = read_mappings(self());
    const auto stack = std::find_if(mappings.begin(), mappings.end(),
                                    [](const Mapping& one) { return one.path == "[stack]"; });
    REQUIRE(stack != mappings.end());
    CHECK(stack->read);
    CHECK(stack->write);
    CHECK_FALSE(stack->is_shared);
    CHECK(std::is_sorted(mappings.begin(), mappings.end(),
                         [](const auto& a, const auto& b) { return a.begin < b.begin; }));
}

TEST_CASE("a mapping of a file has its offset and number, and each has what is in memory") {
    const int file = memfd_create("test", 0);
    REQUIRE(ftruncate(file, 4 * page) == 0);
    void* const mapped = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 2 * page);
    *static_cast<volatile char*>(mapped) = 1;
    const auto begin = reinterpret_cast<uint64_t>(mapped);
    const auto is_it = [&](const Mapping& one) { return one.begin == begin; };
    const std::vector<Mapping> mappings = read_mappings(self());
    const auto found = std::find_if(mappings.begin(), mappings.end(), is_it);
    REQUIRE(found != mappings.end());
    CHECK(found->is_shared);
    CHECK(found->offset == 2 * page);
    CHECK(found->inode != 0);
    uint64_t in_memory = 0;
    for_each_in_smaps(self(), [&](const Mapping& one, uint64_t kib, const std::string& flags) {
        if (!is_it(one)) return;
        in_memory += kib;
        CHECK(flags.find(" rd ") != std::string::npos);
    });
    CHECK(in_memory == page / 1024);
    munmap(mapped, page);
    close(file);
}

TEST_CASE("the parts of a mapping are found for which its file has data") {
    const TestFile test;
    const MappedFile file(self(), test.mapping);
    REQUIRE(file.is_open());
    bool has_page = false;
    for (const auto& part : file.data()) {
        CHECK(part.begin >= test.mapping.begin);
        CHECK(part.end <= test.mapping.end);
        // The file's page 5 is the mapping's page 3.
        const uint64_t wanted = test.mapping.begin + 3 * page;
        has_page = has_page || (part.begin <= wanted && wanted < part.end);
    }
    CHECK(has_page);
}

TEST_CASE("a file of the same name is not taken for the mapping's") {
    TestFile test;
    ++test.mapping.inode;
    CHECK_FALSE(MappedFile(self(), test.mapping).is_open());
    test.mapping.path = "/dev/null";
    CHECK_FALSE(MappedFile(self(), test.mapping).is_open());
}

TEST_CASE("the beginning of a process is compared with changes of files") {
    const TestFile test;
    const int64_t began = begin_of_process(self());
    CHECK(began > time(nullptr) - 24 * 3600);
    CHECK(began <= time(nullptr));
    CHECK(MappedFile(self(), test.mapping).changed() >= began);
    CHECK(begin_of_process(0x7ffffff0) == 0);
}

TEST_CASE("memory without a file is known by its name") {
    for (const char* const path :
         {"", "/dev/zero (deleted)", "/memfd:x", "/SYSV0001", "/dev/shm/x"})
        CHECK(is_nameless_memory(path));
    for (const char* const path : {"/usr/lib/libc.so.6", "/dev/nvidia0", "[stack]"})
        CHECK_FALSE(is_nameless_memory(path));
}
