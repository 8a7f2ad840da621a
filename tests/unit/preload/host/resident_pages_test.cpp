// SPDX-License-Identifier: Apache-2.0
#include "preload/host/resident_pages.h"

#include <sys/mman.h>

#include <vector>

#include "memtrace/dump/format.h"
#include "memtrace/dump/varint.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::preload;

namespace {

std::vector<uint64_t> runs_in(const std::vector<uint8_t>& bytes) {
    std::vector<uint64_t> runs;
    const uint8_t* in = bytes.data();
    const uint8_t* const end = in + bytes.size();
    while (in != end) in = read_varint(in, end, runs.emplace_back());
    return runs;
}

class SomePages {
public:
    explicit SomePages(size_t count) : bytes_(count * page_bytes) {
        void* const pages =
            mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        madvise(pages, bytes_, MADV_NOHUGEPAGE);
        begin_ = static_cast<char*>(pages);
    }
    ~SomePages() { munmap(begin_, bytes_); }
    void touch(size_t page) { begin_[page * page_bytes] = 1; }
    char read(size_t page) const {
        return *static_cast<const volatile char*>(begin_ + page * page_bytes);
    }
    uint64_t begin() const { return reinterpret_cast<uint64_t>(begin_); }
    uint64_t end() const { return begin() + bytes_; }

private:
    size_t bytes_;
    char* begin_;
};

}  // namespace

TEST_CASE("touched pages are resident, in runs") {
    SomePages pages(20);
    for (const size_t page : {2, 3, 4, 10}) pages.touch(page);
    for (const size_t words_max : {1, 3, 64}) {
        std::vector<uint64_t> words(words_max);
        ResidentPages resident(words.data(), words.size());
        REQUIRE(resident.open());
        std::vector<uint8_t> bytes(4096);
        uint64_t at = pages.begin();
        bytes.resize(resident.pack(at, pages.end(), bytes.data(), bytes.size()));
        CHECK(at == pages.end());
        CHECK(runs_in(bytes) == std::vector<uint64_t>{0, 2, 3, 5, 1, 9});
    }
}

TEST_CASE("pages that were only read are zeros of the kernel, and not resident") {
    SomePages pages(4);
    pages.touch(1);
    CHECK(pages.read(2) == 0);
    const auto runs = [&](ResidentPages::Pages which) {
        uint64_t words[8];
        ResidentPages resident(words, 8);
        REQUIRE(resident.open());
        std::vector<uint8_t> bytes(64);
        uint64_t at = pages.begin();
        bytes.resize(resident.pack(at, pages.end(), bytes.data(), bytes.size(), which));
        return runs_in(bytes);
    };
    CHECK(runs(ResidentPages::Pages::own) == std::vector<uint64_t>{0, 1, 1, 2});
    CHECK(runs(ResidentPages::Pages::all_present) == std::vector<uint64_t>{0, 1, 2, 1});
}

TEST_CASE("runs that do not fit continue in the next piece") {
    SomePages pages(100);
    for (size_t page = 0; page < 100; page += 2) pages.touch(page);
    std::vector<uint64_t> words(16);
    ResidentPages resident(words.data(), words.size());
    REQUIRE(resident.open());
    uint64_t at = pages.begin();
    size_t touched = 0;
    while (at < pages.end()) {
        std::vector<uint8_t> bytes(64);
        const uint64_t before = at;
        bytes.resize(resident.pack(at, pages.end(), bytes.data(), bytes.size()));
        REQUIRE(at > before);
        uint64_t sum = 0;
        const std::vector<uint64_t> runs = runs_in(bytes);
        for (size_t i = 0; i < runs.size(); ++i) {
            sum += runs[i];
            if (i % 2 == 0) touched += runs[i];
        }
        CHECK(sum * page_bytes == at - before);
    }
    CHECK(touched == 50);
}

TEST_CASE("without the file of pages nothing is told") {
    uint64_t words[4];
    ResidentPages resident(words, 4);
    CHECK_FALSE(resident.open("/proc/self/no-such-file"));
    uint8_t out[64];
    uint64_t at = 0;
    CHECK(resident.pack(at, 8 * page_bytes, out, sizeof out) == 0);
    CHECK(at == 0);
}
