// SPDX-License-Identifier: Apache-2.0
#include "preload/host/smaps_reader.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "tests/unit/test.h"

using namespace memtrace::preload;

namespace {

constexpr const char* two_mappings =
    "55d0a0000000-55d0a0021000 rw-p 00000000 00:00 0                          [heap]\n"
    "Size:                132 kB\n"
    "Rss:                 120 kB\n"
    "Shared_Clean:          4 kB\n"
    "Shared_Dirty:          8 kB\n"
    "Anonymous:           120 kB\n"
    "Swap:                  8 kB\n"
    "VmFlags: rd wr mr mw me ac\n"
    "7f1c2a000000-7f1c2a021000 r-xs 00001000 fe:00 260386                     /tmp/a b\n"
    "Rss:                   4 kB\n";

struct Found {
    uint64_t begin;
    uint64_t rss;
    std::string path;
};

std::vector<Found> read_all(const char* path, size_t buffer_bytes) {
    std::vector<char> buffer(buffer_bytes);
    SmapsReader reader(buffer.data(), buffer.size());
    REQUIRE(reader.open(path));
    static SmapsEntry entry;
    std::vector<Found> found;
    while (reader.next(entry)) {
        found.push_back({entry.begin, entry.rss, std::string(entry.path.view())});
    }
    return found;
}

}  // namespace

TEST_CASE("a mapping of smaps has its range, its access, its sizes and its name") {
    const std::string file = "smaps_reader_test.txt";
    std::ofstream(file) << two_mappings;
    std::vector<char> buffer(4096);
    SmapsReader reader(buffer.data(), buffer.size());
    REQUIRE(reader.open(file.c_str()));
    static SmapsEntry entry;
    REQUIRE(reader.next(entry));
    CHECK(entry.begin == 0x55d0a0000000);
    CHECK(entry.end == 0x55d0a0021000);
    CHECK((entry.read && entry.write && !entry.execute && !entry.is_shared));
    CHECK(entry.rss == 120 << 10);
    CHECK(entry.anonymous == 120 << 10);
    CHECK(entry.shared == 12 << 10);
    CHECK(entry.swap == 8 << 10);
    CHECK(entry.path.view() == "[heap]");
    REQUIRE(reader.next(entry));
    CHECK((entry.read && !entry.write && entry.execute && entry.is_shared));
    CHECK(entry.rss == 4 << 10);
    CHECK(entry.swap == 0);
    CHECK(entry.path.view() == "/tmp/a b");
    CHECK_FALSE(reader.next(entry));
    std::remove(file.c_str());
}

TEST_CASE("the buffer may end anywhere in the file of mappings") {
    const std::string file = "smaps_reader_pieces_test.txt";
    std::ofstream(file) << two_mappings;
    for (size_t bytes = 100; bytes < 140; ++bytes) {
        const std::vector<Found> found = read_all(file.c_str(), bytes);
        REQUIRE(found.size() == 2);
        CHECK(found[0].rss == 120 << 10);
        CHECK(found[1].path == "/tmp/a b");
    }
    std::remove(file.c_str());
}

TEST_CASE("a page that this process touches is in its own mappings") {
    constexpr size_t bytes = 64 << 12;
    void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::memset(pages, 1, bytes);
    uint64_t rss = 0;
    for (const Found& found : read_all("/proc/self/smaps", 32 << 10)) {
        if (found.begin <= reinterpret_cast<uint64_t>(pages)) rss = found.rss;
    }
    CHECK(rss >= bytes);
    munmap(pages, bytes);
}
