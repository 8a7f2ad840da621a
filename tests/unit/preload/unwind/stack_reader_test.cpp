// SPDX-License-Identifier: Apache-2.0
#include "preload/unwind/stack_reader.h"

#include <sys/mman.h>

#include <thread>

#include "memtrace/dump/format.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::preload;

namespace {

// Two readable pages between two unreadable pages.
class Island {
public:
    Island() {
        void* region = mmap(nullptr, 4 * page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        REQUIRE(region != MAP_FAILED);
        begin_ = reinterpret_cast<uint64_t>(region) + page_bytes;
        REQUIRE(mprotect(reinterpret_cast<void*>(begin_), 2 * page_bytes, PROT_READ | PROT_WRITE) ==
                0);
    }
    ~Island() { munmap(reinterpret_cast<void*>(begin_ - page_bytes), 4 * page_bytes); }

    uint64_t begin() const { return begin_; }
    uint64_t end() const { return begin_ + 2 * page_bytes; }

private:
    uint64_t begin_ = 0;
};

uint64_t here() { return reinterpret_cast<uint64_t>(__builtin_frame_address(0)); }

}  // namespace

TEST_CASE("the thread's own stack is known without leaving it", "[stack_reader]") {
    StackBounds bounds;
    StackReader stack(bounds, here());
    CHECK(stack.is_own_stack());
    CHECK(stack.can_read(here()));
    CHECK(stack.can_read(here() + 8));
    CHECK(stack.stayed_inside());
    CHECK(bounds.high() > here());
}

TEST_CASE("a thread's stack ends at its own top", "[stack_reader]") {
    const uint64_t outside = here();
    bool is_own = false;
    bool other_is_own = true;
    std::thread([&] {
        StackBounds bounds;
        is_own = StackReader(bounds, here()).is_own_stack();
        other_is_own = StackReader(bounds, outside).is_own_stack();
    }).join();
    CHECK(is_own);
    CHECK_FALSE(other_is_own);
}

TEST_CASE("the own stack is still known from further down", "[stack_reader]") {
    StackBounds bounds;
    REQUIRE(bounds.own(here()));
    volatile char room[64 << 10];
    room[0] = 1;
    CHECK(bounds.own(reinterpret_cast<uint64_t>(&room[0]) & ~uint64_t{7}));
}

TEST_CASE("another stack is read page by page, as far as it goes", "[stack_reader]") {
    const Island island;
    StackBounds bounds;
    REQUIRE(bounds.own(here()));
    StackReader stack(bounds, island.begin());
    CHECK_FALSE(stack.is_own_stack());
    CHECK_FALSE(stack.stayed_inside());
    CHECK(stack.can_read(island.begin()));
    CHECK(stack.can_read(island.begin() + page_bytes));
    CHECK(stack.can_read(island.end() - 8));
    CHECK_FALSE(stack.can_read(island.end()));
    CHECK_FALSE(stack.can_read(island.begin() - 8));
}

TEST_CASE("a word elsewhere may be read, but is noticed", "[stack_reader]") {
    const Island island;
    StackBounds bounds;
    StackReader stack(bounds, here());
    CHECK(stack.can_read(island.begin()));
    CHECK_FALSE(stack.stayed_inside());
}

TEST_CASE("no address makes it fall", "[stack_reader]") {
    StackBounds bounds;
    StackReader stack(bounds, here());
    for (const uint64_t garbage : {uint64_t{0}, uint64_t{8}, ~uint64_t{7}, uint64_t{1} << 47,
                                   uint64_t{1} << 63, uint64_t{0xffff800000000000}}) {
        CHECK_FALSE(stack.can_read(garbage));
        CHECK_FALSE(is_readable(garbage));
        CHECK_FALSE(is_at_start_of_process(garbage));
        StackBounds fresh;
        CHECK_FALSE(fresh.own(garbage));
    }
    CHECK_FALSE(stack.can_read(here() + 1));  // Words have addresses that are multiples of 8.
}

TEST_CASE("the kernel is asked page by page whether something is there", "[stack_reader]") {
    const Island island;
    CHECK_FALSE(is_readable(island.begin() - 8));
    CHECK(is_readable(island.begin()));
    CHECK(is_readable(island.end() - 8));
    CHECK_FALSE(is_readable(island.end()));
}
