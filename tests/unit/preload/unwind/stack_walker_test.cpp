// SPDX-License-Identifier: Apache-2.0
//
// What a caller of walk() sees. tests/unwind checks that every stack is right.
#include "preload/unwind/stack_walker.h"

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::preload;

namespace {

struct Seen {
    std::vector<uint64_t> pcs;  // innermost first
    uint32_t kept = 0;
    StackEnd end = StackEnd::failed;
};

// Walks like a hook of the shim.
__attribute__((noipa)) Seen look(StackWalker& walker, uint32_t depth) {
    Seen seen;
    if (const StackMemo* memo = walker.walk(__builtin_frame_address(0), depth)) {
        for (uint32_t i = memo->length; i-- > 0;) seen.pcs.push_back(memo->frames[i].pc);
        seen.kept = memo->kept;
        seen.end = memo->end;
    }
    return seen;
}

__attribute__((noipa)) Seen look_from(unsigned times, StackWalker& walker, uint32_t depth) {
    Seen seen = times == 0 ? look(walker, depth) : look_from(times - 1, walker, depth);
    asm volatile("");  // The call is not the last statement, so the frame stays.
    return seen;
}

__attribute__((noipa)) Seen look_from_new_code(StackWalker& walker) {
    Seen seen = look_from(0, walker, 256);
    asm volatile("");
    return seen;
}

// A walker is a few hundred bytes with pointers to its memory, which it keeps forever.
std::unique_ptr<StackWalker> make_walker() { return std::make_unique<StackWalker>(); }

}  // namespace

TEST_CASE("the caller is the innermost frame, and the stack is whole", "[stack_walk]") {
    const auto walker = make_walker();
    const Seen seen = look_from(3, *walker, 256);
    REQUIRE(seen.pcs.size() > 5);
    CHECK(seen.pcs[1] == seen.pcs[2]);  // the recursion's own calls
    CHECK(seen.pcs[2] == seen.pcs[3]);
    CHECK(seen.pcs[0] != seen.pcs[1]);
    CHECK(seen.end == StackEnd::complete);
}

TEST_CASE("each address that no walk came through is told, by one walk", "[stack_walk]") {
    const auto walker = make_walker();
    const auto another = make_walker();
    const Seen seen = look_from_new_code(*walker);
    const auto callback_context = walker->new_addresses();
    // The other addresses may be known from other tests.
    CHECK(std::ranges::count(callback_context, seen.pcs[1]) == 1);  // in look_from_new_code(),
    CHECK(std::ranges::count(callback_context, seen.pcs[2]) == 1);  // and of it, above
    look_from_new_code(*another);
    CHECK(another->new_addresses().size() == 1);  // the second call
}

TEST_CASE("a loop's second walk compares and does not step", "[stack_walk]") {
    const auto walker = make_walker();
    std::vector<Seen> seen;
    for (int turn = 0; turn < 3; ++turn) seen.push_back(look_from(4, *walker, 256));
    CHECK(seen[1].pcs == seen[2].pcs);
    CHECK(seen[2].kept > seen[2].pcs.size() / 2);
    const uint64_t stepped = walker->counts.stepped;
    const Seen again = look_from(4, *walker, 256);
    CHECK(walker->counts.walks == 4);
    CHECK(walker->counts.verified > 0);
    CHECK(walker->counts.stepped - stepped < again.pcs.size());
}

TEST_CASE("a deep stack is cut at the limit, a shallower one afterwards is whole", "[stack_walk]") {
    const auto walker = make_walker();
    const Seen whole = look_from(2, *walker, 64);
    REQUIRE(whole.end == StackEnd::complete);
    const Seen cut = look_from(100, *walker, 64);
    CHECK(cut.end == StackEnd::depth);
    CHECK(cut.pcs.size() == 64);
    const Seen after = look_from(2, *walker, 64);
    CHECK(after.end == StackEnd::complete);
    CHECK(after.pcs.size() == whole.pcs.size());
}

TEST_CASE("a walker has memory for the depth that it was first asked for", "[stack_walk]") {
    const auto walker = make_walker();
    CHECK_FALSE(look(*walker, 32).pcs.empty());
    CHECK(look(*walker, 33).pcs.empty());
    CHECK(look(*walker, 4).pcs.size() == 4);
}

TEST_CASE("ids of kept frames stay, unless all are forgotten", "[stack_walk]") {
    const auto walker = make_walker();
    const auto walk = [&] { return walker->walk(__builtin_frame_address(0), 256); };
    StackMemo* memo = nullptr;
    for (int turn = 0; turn < 3; ++turn) {
        memo = walk();
        REQUIRE(memo != nullptr);
        REQUIRE(memo->length > 2);
        if (turn == 2) break;
        for (uint32_t i = 0; i < memo->length; ++i) memo->numbers[i] = 1000 + i;
    }
    REQUIRE(memo->kept > 0);
    for (uint32_t i = 0; i < memo->kept; ++i) CHECK(memo->numbers[i] == 1000 + i);
    walker->forget_numbers();
    for (uint32_t i = 0; i < memo->length; ++i) CHECK(memo->numbers[i] == 0);
}

TEST_CASE("another thread may take a walker over", "[stack_walk]") {
    const auto walker = make_walker();
    look_from(2, *walker, 256);
    Seen seen;
    std::thread([&] {
        walker->forget_thread();
        seen = look_from(2, *walker, 256);
    }).join();
    CHECK(seen.end == StackEnd::complete);
    CHECK(seen.kept == 0);
    CHECK(seen.pcs.size() > 3);
}

TEST_CASE("a deep stack that is cut is remembered as a part", "[stack_walk]") {
    constexpr uint32_t depth = 4096;
    const auto walker = make_walker();
    const Seen cut = look_from(9000, *walker, depth);
    REQUIRE(cut.end == StackEnd::depth);
    const uint64_t stepped = walker->counts.stepped;
    for (const unsigned times : {9001u, 9010u, 9300u, 8900u}) {
        const Seen next = look_from(times, *walker, depth);
        CHECK(next.end == StackEnd::depth);
        CHECK(next.pcs.size() >= depth / 2);
        CHECK(next.pcs.size() <= depth);
        // The innermost frames are those of a walk from scratch.
        const auto other = make_walker();
        const Seen fresh = look_from(times, *other, depth);
        const size_t common = std::min(next.pcs.size(), fresh.pcs.size());
        CHECK(std::equal(next.pcs.begin(), next.pcs.begin() + static_cast<long>(common),
                         fresh.pcs.begin()));
    }
    CHECK(walker->counts.stepped - stepped < 4 * depth);
    const Seen shallow = look_from(10, *walker, depth);
    CHECK(shallow.end == StackEnd::complete);
}

namespace {

// Looks in each call on the way down and on the way up again.
__attribute__((noipa)) uint64_t look_everywhere(unsigned times, StackWalker& walker, uint32_t depth,
                                                uint64_t& looks) {
    const uint64_t before = look(walker, depth).pcs.size();
    uint64_t frames = times == 0 ? before : look_everywhere(times - 1, walker, depth, looks);
    frames += look(walker, depth).pcs.size();
    looks += 2;
    return frames + 1;
}

}  // namespace

TEST_CASE("a recursion beyond the limit takes few steps a stack", "[stack_walk]") {
    const auto walker = make_walker();
    uint64_t looks = 0;
    look_everywhere(12000, *walker, 4096, looks);
    CHECK(walker->counts.stepped < 20 * looks);
}
