// SPDX-License-Identifier: Apache-2.0
//
// Reads the memory of a child that stands still.
#include "analyzer/lost/process_memory.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "analyzer/base/error.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using memtrace::LostRange;

namespace {

constexpr uint64_t page = 4096;

class StandingChild {
public:
    StandingChild() : pid_(fork()) {
        if (pid_ == 0) {
            for (;;) pause();
        }
    }
    ~StandingChild() {
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
    }
    StandingChild(const StandingChild&) = delete;
    StandingChild& operator=(const StandingChild&) = delete;
    uint64_t pid() const { return static_cast<uint64_t>(pid_); }

private:
    pid_t pid_;
};

uint64_t number_of(const void* address) { return reinterpret_cast<uint64_t>(address); }

}  // namespace

TEST_CASE("what a copy of a process lacks is read in the process itself") {
    constexpr size_t count = 3;
    uint64_t* pages[count];
    for (size_t i = 0; i < count; ++i) {
        void* const made =
            mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        REQUIRE(made != MAP_FAILED);
        pages[i] = static_cast<uint64_t*>(made);
        pages[i][0] = 11 * (i + 1);
    }
    REQUIRE(madvise(pages[0], page, MADV_DONTFORK) == 0);
    REQUIRE(madvise(pages[1], page, MADV_WIPEONFORK) == 0);
    REQUIRE(madvise(pages[2], page, MADV_DONTFORK) == 0);
    const LostRange own{number_of(pages[2]), number_of(pages[2]) + page};
    const StandingChild child;
    ProcessMemory memory(child.pid(), static_cast<uint64_t>(getpid()), {&own, 1});
    CHECK(memory.word(number_of(pages[0])) == 11);
    CHECK(memory.word(number_of(pages[1])) == 22);
    CHECK(memory.word(number_of(pages[2])) == 0);  // nobody wants to know
    CHECK(memory.bytes_of_original() >= 2 * page);
    CHECK(memory.bytes_left_out() == 0);
    const auto has = [&](uint64_t address) {
        return std::any_of(
            memory.mappings().begin(), memory.mappings().end(),
            [&](const Mapping& each) { return each.begin <= address && address < each.end; });
    };
    CHECK(has(number_of(pages[0])));
    CHECK(!has(number_of(pages[2])));
    bool is_visited = false;
    memory.for_each_own_part({number_of(pages[0]), number_of(pages[0]) + page},
                             [&](LostRange) { is_visited = true; });
    CHECK(is_visited);
    for (uint64_t* const each : pages) munmap(each, page);
}

TEST_CASE("words of another process are read, and what is not there is zero") {
    void* const pages =
        mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(pages != MAP_FAILED);
    auto* const words = static_cast<uint64_t*>(pages);
    words[0] = 11;
    words[2 * page / 8] = 33;
    munmap(words + page / 8, page);
    const uint64_t begin = number_of(pages);
    const StandingChild child;
    ProcessMemory memory(child.pid());
    CHECK(memory.word(begin) == 11);
    CHECK(memory.word(begin + page) == 0);
    CHECK(memory.word(begin + 2 * page) == 33);
    const LostRange ranges[] = {{begin, begin + 8},
                                {begin + page, begin + page + 8},
                                {begin + 2 * page, begin + 2 * page + 8}};
    uint64_t read[3] = {1, 1, 1};
    memory.read(ranges, reinterpret_cast<uint8_t*>(read));
    CHECK(read[0] == 11);
    CHECK(read[1] == 0);
    CHECK(read[2] == 33);
    munmap(pages, page);
    munmap(words + 2 * page / 8, page);
}

TEST_CASE("pages that were never used are left out, and so are pages of a file") {
    constexpr uint64_t pages = 64;
    void* const memory_of_test =
        mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory_of_test != MAP_FAILED);
    madvise(memory_of_test, pages * page, MADV_NOHUGEPAGE);
    const uint64_t begin = number_of(memory_of_test);
    static_cast<uint64_t*>(memory_of_test)[10 * page / 8] = 1;
    static_cast<uint64_t*>(memory_of_test)[11 * page / 8] = 1;
    const StandingChild child;
    ProcessMemory memory(child.pid());
    std::vector<std::pair<uint64_t, uint64_t>> parts;
    memory.for_each_own_part({begin, begin + pages * page},
                             [&](LostRange part) { parts.emplace_back(part.begin, part.end); });
    REQUIRE(parts.size() == 1);
    CHECK(parts[0] == std::pair{begin + 10 * page, begin + 12 * page});
    uint64_t of_code = 0;
    const uint64_t code = number_of(reinterpret_cast<void*>(&read_mappings)) / page * page;
    memory.for_each_own_part({code, code + page}, [&](LostRange) { ++of_code; });
    CHECK(of_code == 0);
    munmap(memory_of_test, pages * page);
}

TEST_CASE("a page of a memory file is found that no page table has") {
    constexpr size_t pages = 16;
    const int file = memfd_create("test", 0);
    REQUIRE(ftruncate(file, pages * page) == 0);
    const uint64_t word = 4711;
    REQUIRE(pwrite(file, &word, sizeof word, 3 * page) == sizeof word);
    for (const int kind : {MAP_SHARED, MAP_PRIVATE}) {
        void* const mapped = mmap(nullptr, pages * page, PROT_READ, kind, file, 0);
        const StandingChild child;
        ProcessMemory memory(child.pid());
        const uint64_t begin = number_of(mapped);
        std::vector<uint64_t> begins;
        memory.for_each_own_part({begin, begin + pages * page}, [&](LostRange part) {
            begins.push_back(part.begin);
            CHECK(part.end == part.begin + page);
        });
        // Only the administrator may open the file.
        if (geteuid() == 0) CHECK(begins == std::vector<uint64_t>{begin + 3 * page});
        CHECK(memory.word(begin + 3 * page) == word);
        munmap(mapped, pages * page);
    }
    close(file);
}

TEST_CASE("a file that was changed since the process began may have its pointers") {
    char path[] = "/tmp/memtrace-test-XXXXXX";
    const int file = mkstemp(path);
    const uint64_t word = 4711;
    REQUIRE(pwrite(file, &word, sizeof word, 0) == sizeof word);
    void* const mapped = mmap(nullptr, page, PROT_READ, MAP_PRIVATE, file, 0);
    const StandingChild child;
    ProcessMemory memory(child.pid(), static_cast<uint64_t>(getpid()));
    const uint64_t begin = number_of(mapped);
    std::vector<uint64_t> begins;
    memory.for_each_own_part({begin, begin + page},
                             [&](LostRange part) { begins.push_back(part.begin); });
    CHECK(begins == std::vector<uint64_t>{begin});
    munmap(mapped, page);
    close(file);
    unlink(path);
}

TEST_CASE("memory that cannot be accessed is read all the same, and a reserve has no pages") {
    constexpr size_t pages = size_t{1} << 20;
    void* const reserve =
        mmap(nullptr, pages * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    const uint64_t begin = number_of(reserve);
    void* const sealed =
        mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *static_cast<uint64_t*>(sealed) = 4711;
    mprotect(sealed, page, PROT_NONE);
    const StandingChild child;
    ProcessMemory memory(child.pid());
    uint64_t parts = 0;
    memory.for_each_own_part({begin, begin + pages * page}, [&](LostRange) { ++parts; });
    CHECK(parts == 0);
    memory.for_each_own_part({number_of(sealed), number_of(sealed) + page},
                             [&](LostRange) { ++parts; });
    CHECK(parts == 1);
    CHECK(memory.word(number_of(sealed)) == 4711);
    munmap(reserve, pages * page);
    munmap(sealed, page);
}

TEST_CASE("it is noticed that a process has ended") {
    auto child = std::make_unique<StandingChild>();
    ProcessMemory memory(child->pid());
    memory.check_is_there();
    child.reset();
    CHECK_THROWS_AS(memory.check_is_there(), Error);
}

TEST_CASE("a process that is gone cannot be read") {
    CHECK(read_mappings(0x7ffffff0).empty());
    CHECK_THROWS_AS(ProcessMemory(0x7ffffff0), Error);
}
