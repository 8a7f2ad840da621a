// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ledger/host_ledger.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;

namespace {

constexpr uint64_t arena = uint64_t{64} << 20;
constexpr uint64_t page = 0x1000;

// A moment of a process, described region by region.
class Process {
public:
    // All pages are resident.
    void region(uint64_t begin, uint64_t pages, const std::string& path = "", uint64_t access = 3) {
        SnapshotRegion region;
        region.begin = begin;
        region.end = begin + pages * page;
        region.access = access;
        region.rss = pages * page;
        region.anonymous = path.starts_with('/') ? page : region.rss;
        region.path = path;
        const bool is_looked_up = !path.starts_with('/') && (access & access_shared) == 0;
        if (is_looked_up) region.resident = {{region.begin, region.end}};
        snapshot.regions.push_back(region);
    }

    uint64_t part(HostPart which) const { return make_host_ledger(snapshot, held).part(which); }
    HostLedger ledger() const {
        HostLedger result = make_host_ledger(snapshot, held);
        CHECK(result.explained() + static_cast<uint64_t>(result.unexplained()) == result.resident);
        return result;
    }

    HostSnapshot snapshot;
    HeldMemory held;
};

}  // namespace

TEST_CASE("the brk heap is divided into blocks, overhead and free memory") {
    Process process;
    process.region(0x10000, 16, "[heap]");
    process.held.heap = {{0x12010, 1000, 7}};
    const HostLedger ledger = process.ledger();
    CHECK(ledger.part(HostPart::heap_blocks) == 1000);
    CHECK(ledger.part(HostPart::heap_overhead) == 8);
    CHECK(ledger.part(HostPart::heap_free) == 16 * page - 1008);
    CHECK(ledger.pinned == 2 * page);
    CHECK(ledger.free_at_top == 13 * page);
    CHECK(ledger.unexplained() == 0);
    REQUIRE(ledger.pins.size() == 1);
    CHECK(ledger.pins[0].stack == 7);
}

TEST_CASE("an arena begins at a multiple of 64 MiB") {
    Process process;
    process.region(4 * arena, 8);
    process.held.heap = {{4 * arena + 0x8a0, 100, 1}};
    CHECK(process.ledger().pinned == 0);
    CHECK(process.part(HostPart::heap_free) == 8 * page - 112);
    CHECK(process.ledger().unexplained() == 0);
}

TEST_CASE("a large block has a mapping of its own, wherever its neighbours are") {
    Process process;
    const uint64_t base = 4 * arena + 0x100000;
    process.region(base, 96);
    process.held.heap = {{base + 0x10, 40 * page - 0x20, 1},
                         {base + 40 * page + 0x10, 47 * page, 1}};
    process.snapshot.stacks = {base + 90 * page};
    const HostLedger ledger = process.ledger();
    CHECK(ledger.part(HostPart::heap_blocks) == 87 * page - 0x20);
    CHECK(ledger.part(HostPart::heap_overhead) == 0x20 + page);
    CHECK(ledger.part(HostPart::heap_free) == 0);
    CHECK(ledger.part(HostPart::stacks) == 8 * page);
}

TEST_CASE("the program's mappings, Python's arenas and the shim are told in a joined region") {
    Process process;
    const uint64_t base = 4 * arena + 0x100000;
    process.region(base, 10);
    process.snapshot.own = {{base, base + 2 * page}};
    process.held.mappings = {{base + 2 * page, base + 5 * page, HostPart::mappings},
                             {base + 5 * page, base + 9 * page, HostPart::python_arenas}};
    CHECK(process.part(HostPart::memtrace) == 2 * page);
    CHECK(process.part(HostPart::mappings) == 3 * page);
    CHECK(process.part(HostPart::python_arenas) == 4 * page);
    CHECK(process.ledger().unexplained() == page);
    process.held.has_all_objects = true;
    process.held.objects = {{base + 6 * page, 48, 1}, {base + 7 * page, 32, 1}};
    CHECK(process.part(HostPart::python_arenas) == 0);
    CHECK(process.part(HostPart::python_objects) == 80);
    CHECK(process.part(HostPart::python_free) == 4 * page - 80);
}

TEST_CASE("a mapping of the program's with blocks in it is the heap of another allocator") {
    Process process;
    const uint64_t base = 4 * arena + 0x100000;
    process.region(base, 10);
    process.held.mappings = {{base, base + 10 * page, HostPart::mappings}};
    process.held.heap = {{base + 64, 256, 1}};
    CHECK(process.part(HostPart::mappings) == 0);
    CHECK(process.part(HostPart::heap_blocks) == 256);
    CHECK(process.ledger().pinned == 0);
}

TEST_CASE("files, their copies, what lies behind them, and shared memory") {
    Process process;
    process.region(0x100000, 8, "/usr/lib/libx.so", access_read | access_write);
    process.region(0x108000, 2);  // its variables that are zero at the start
    process.region(0x200000, 3, "/usr/lib/libmemtrace.so");
    process.region(0x203000, 4);
    process.region(0x300000, 5, "/memfd:x (deleted)", access_read | access_shared);
    process.region(0x400000, 6, "/var/data", access_read | access_shared);
    process.region(0x500000, 7, "/tmp/memtrace.bin", access_read | access_shared);
    process.snapshot.own = {{0x500000, 0x507000}};
    CHECK(process.part(HostPart::files) == 13 * page);
    CHECK(process.part(HostPart::file_copies) == 3 * page);
    CHECK(process.part(HostPart::memtrace) == 14 * page);
    CHECK(process.part(HostPart::shared) == 5 * page);
    CHECK(process.ledger().unexplained() == 0);
}

TEST_CASE("variables of a library may be longer than the distance of two arenas") {
    Process process;
    process.region(arena - 16 * page, 8, "/usr/lib/libx.so", access_read | access_write);
    process.region(arena - 8 * page, 2 * arena / page + 13);
    CHECK(process.part(HostPart::file_copies) == 2 * arena + 14 * page);
    CHECK(process.ledger().unexplained() == 0);
}

TEST_CASE("what the driver of a GPU maps of its device is no file") {
    Process process;
    process.region(0x400000, 6, "/dev/nvidiactl", access_read | access_write | access_shared);
    process.region(0x500000, 2, "/dev/nvidia-uvm", access_read | access_write | access_shared);
    process.region(0x600000, 3, "/dev/zero (deleted)", access_read | access_shared);
    CHECK(process.part(HostPart::gpu_driver) == 8 * page);
    CHECK(process.part(HostPart::shared) == 3 * page);
    CHECK(process.part(HostPart::files) == 0);
}

TEST_CASE("a stack is told by an address in it, by its guard, or by its name") {
    Process process;
    process.region(4 * arena + 0x100000, 2);
    process.region(4 * arena + 0x200000, 3, "", access_read | access_write | access_guarded);
    process.region(0x7fff00000000, 4, "[stack]");
    process.region(4 * arena + 0x300000, 5);
    process.snapshot.stacks = {4 * arena + 0x101000};
    CHECK(process.part(HostPart::stacks) == 9 * page);
    CHECK(process.ledger().unexplained() == 5 * page);
}

TEST_CASE("what was not looked up is not explained, unless all of it is resident") {
    Process process;
    process.region(4 * arena + 0x100000, 2);
    process.held.mappings = {{4 * arena, 5 * arena, HostPart::mappings}};
    process.snapshot.regions[0].resident.clear();
    CHECK(process.part(HostPart::mappings) == 2 * page);
    process.snapshot.regions[0].rss = page;
    process.held.mappings = {{4 * arena, 4 * arena + 0x101000, HostPart::mappings}};
    CHECK(process.part(HostPart::mappings) == 0);
    CHECK(process.ledger().unexplained() == page);
}

TEST_CASE("mappings of which a part is not resident are listed by who mapped them") {
    Process process;
    const uint64_t base = 4 * arena, other = 6 * arena, never = 8 * arena;
    process.region(base, 3);
    process.region(other, 2);
    process.held.mappings = {{base, base + arena, HostPart::mappings, 7},
                             {other, other + 2 * page, HostPart::mappings, 8},
                             {never, never + 2 * arena, HostPart::mappings, 9},
                             {never + 2 * arena, never + 3 * arena, HostPart::gpu_driver, 9}};
    const HostLedger ledger = process.ledger();
    CHECK(ledger.part(HostPart::mappings) == 5 * page);
    CHECK(ledger.mapped == 3 * arena + 2 * page);
    CHECK(ledger.not_touched == 3 * arena - 3 * page);
    REQUIRE(ledger.untouched.size() == 2);
    CHECK(ledger.untouched[0].stack == 9);
    CHECK(ledger.untouched[0].mapped == 2 * arena);
    CHECK(ledger.untouched[0].resident == 0);
    CHECK(ledger.untouched[1].stack == 7);
    CHECK(ledger.untouched[1].resident == 3 * page);
}

TEST_CASE("a region that was not looked up is its mapping's, if it is all of one") {
    Process process;
    const uint64_t base = 4 * arena;
    process.region(base, 3);
    process.snapshot.regions[0].end = base + 16 * arena;
    process.snapshot.regions[0].resident.clear();
    process.snapshot.end.unknown = 1;
    process.held.mappings = {{base, base + 16 * arena, HostPart::mappings, 7}};
    CHECK(process.part(HostPart::mappings) == 3 * page);
    CHECK(process.ledger().unknown_regions == 0);
    REQUIRE(process.ledger().untouched.size() == 1);
    CHECK(process.ledger().untouched[0].resident == 3 * page);
    process.held.mappings = {{base, base + 8 * arena, HostPart::mappings, 7},
                             {base + 8 * arena, base + 16 * arena, HostPart::mappings, 8}};
    CHECK(process.part(HostPart::mappings) == 0);
    CHECK(process.ledger().unknown_regions == 1);
    CHECK(process.ledger().untouched.empty());  // nobody knows whose pages are resident
    CHECK(process.ledger().mapped == 0);
}

TEST_CASE("what is held and what is resident are two things") {
    Process process;
    process.held.heap = {{0x12010, 1000, 7}};
    CHECK(process.ledger().heap_held == 1000);
    CHECK(process.part(HostPart::heap_blocks) == 0);
}

TEST_CASE("the order in which blocks are given makes no difference") {
    // Blocks of two heaps and of addresses in between, as the hash table has them.
    Process process;
    process.region(0x10000, 400, "[heap]");
    process.region(0x7f0000000000, 800);
    std::mt19937 random(1);
    for (uint64_t i = 0; i < 10'000; ++i) {
        const uint64_t base = i % 2 == 0 ? 0x10010 : 0x7f0000000010;
        process.held.heap.push_back({base + i * 0x80, 1 + random() % 0x70, 1});
    }
    std::sort(process.held.heap.begin(), process.held.heap.end(),
              [](const HeldBlock& a, const HeldBlock& b) { return a.address < b.address; });
    const HostLedger sorted = process.ledger();
    std::shuffle(process.held.heap.begin(), process.held.heap.end(), random);
    const HostLedger shuffled = process.ledger();
    CHECK(sorted.parts == shuffled.parts);
    CHECK(sorted.pinned == shuffled.pinned);
    CHECK(sorted.free_at_top == shuffled.free_at_top);
    CHECK(sorted.part(HostPart::heap_blocks) > 100'000);
}
