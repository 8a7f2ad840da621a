// SPDX-License-Identifier: Apache-2.0
#include "analyzer/lost/root_regions.h"

#include <memory>

#include "tests/unit/analyzer/lost/made_up_memory.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using memtrace::LostRange;
using memtrace::LostRequest;

namespace {

using Pairs = std::vector<std::pair<uint64_t, uint64_t>>;

constexpr uint64_t data = 0x400000, heap = 0x600000, mapped = 0x7f0000000000,
                   guard = 0x7f8000000000, stack = 0x7ffff0000000;

struct Process {
    Process() {
        const auto memory_at = [&](uint64_t begin, uint64_t size, std::string path = "") {
            memory.map({.begin = begin,
                        .end = begin + size,
                        .read = true,
                        .write = true,
                        .path = std::move(path)});
        };
        memory_at(data, 0x2000, "/usr/bin/program");
        memory_at(heap, 0x21000, "[heap]");
        memory_at(mapped, 0x10000);
        memory.map({.begin = guard, .end = guard + 0x1000});
        memory_at(guard + 0x1000, 0x10000);
        memory_at(stack, 0x20000, "[stack]");
        request->stack_pointer = request->used_from = stack + 0x18000;
        request->thread = 4711;
        request->thread_pointer = mapped + 0x100;
    }

    // What libc keeps of a thread, at the top of its stack.
    void put_thread(uint64_t at, uint64_t begin, uint64_t size, uint64_t number) {
        memory.put(at, {at, 0, at});
        memory.put(at + 720, {number});
        memory.put(at + 1680, {begin, size});
    }

    Pairs roots() {
        const BlockIndex index(blocks);
        Pairs pairs;
        const Roots roots = find_roots(memory, {*request, program, index, has_older_blocks});
        for (const LostRange& range : roots.whole) pairs.emplace_back(range.begin, range.end);
        heaps.clear();
        for (const LostRange& range : roots.around_blocks) {
            heaps.emplace_back(range.begin, range.end);
        }
        return pairs;
    }

    MadeUpMemory memory;
    std::unique_ptr<LostRequest> request = std::make_unique<LostRequest>();
    std::vector<SearchedBlock> blocks{{heap + 0x10, 100}};
    std::vector<LostRange> program;  // mapped by it
    bool has_older_blocks = false;
    Pairs heaps;  // around blocks
};

const std::pair<uint64_t, uint64_t> all_data{data, data + 0x2000},
    all_mapped{mapped, mapped + 0x10000}, other_stack{guard + 0x1000, guard + 0x11000},
    used_stack{stack + 0x18000, stack + 0x20000};

}  // namespace

TEST_CASE("data, mappings and stacks are roots, and the heap is none") {
    Process process;
    CHECK(process.roots() == Pairs{all_data, all_mapped, other_stack, used_stack});
    CHECK(process.heaps.empty());
}

TEST_CASE("where there are older blocks, the heap is a root around those that are known") {
    Process process;
    process.has_older_blocks = true;
    CHECK(process.roots() == Pairs{all_data, all_mapped, other_stack, used_stack});
    CHECK(process.heaps == Pairs{{heap, heap + 0x21000}});
}

TEST_CASE("a heap that has no block is the program's own") {
    Process process;
    process.blocks.clear();
    CHECK(process.roots() ==
          Pairs{all_data, {heap, heap + 0x21000}, all_mapped, other_stack, used_stack});
}

TEST_CASE("the stack of a thread that has ended is none, if no other thread has it") {
    Process process;
    process.request->threads[process.request->thread_count++] = {guard + 0x8000, 1};
    CHECK(process.roots() == Pairs{all_data, all_mapped, other_stack, used_stack});
    constexpr uint64_t end = guard + 0x11000, top = end - 0x940;
    process.put_thread(top, guard, 0x11000, 0);
    CHECK(process.roots() == Pairs{all_data, all_mapped, other_stack, used_stack});
    process.memory.put(process.request->thread_pointer + 720, {4711});
    const std::pair<uint64_t, uint64_t> of_libc{end - 2560, end};
    CHECK(process.roots() == Pairs{all_data, all_mapped, of_libc, used_stack});
    process.put_thread(top, guard, 0x11000, UINT32_MAX);
    CHECK(process.roots() == Pairs{all_data, all_mapped, of_libc, used_stack});
    process.put_thread(top, guard, 0x11000, 4712);  // of a thread that has recorded nothing
    CHECK(process.roots() == Pairs{all_data, all_mapped, other_stack, used_stack});
    process.put_thread(top, guard + 0x5000, 0xc000, 0);  // There is more in the mapping.
    CHECK(process.roots() == Pairs{all_data, all_mapped, other_stack, used_stack});
    process.put_thread(top, guard, 0x11000, 0);
    process.request->threads[process.request->thread_count++] = {guard + 0x9000, 0};
    CHECK(process.roots() == Pairs{all_data, all_mapped, other_stack, used_stack});
}

TEST_CASE("a large block's mapping is no root, but what the kernel joined with it is") {
    Process process;
    process.blocks.push_back({mapped + 0x4010, 0x5000});
    process.memory.put(mapped + 0x4000, {0, 0x6000 | 2});
    CHECK(process.roots() == Pairs{all_data,
                                   {mapped, mapped + 0x4000},
                                   {mapped + 0xa000, mapped + 0x10000},
                                   other_stack,
                                   used_stack});
}

TEST_CASE("memory that another allocator gives to blocks is no root") {
    Process process;
    process.program.push_back({mapped + 0x2000, mapped + 0x6000});
    process.blocks.push_back({mapped + 0x3000, 100});
    CHECK(process.roots() == Pairs{all_data,
                                   {mapped, mapped + 0x2000},
                                   {mapped + 0x6000, mapped + 0x10000},
                                   other_stack,
                                   used_stack});
}

TEST_CASE("of mappings that touch, one may be the allocator's and the other one the program's") {
    Process process;
    process.program.push_back({mapped + 0x2000, mapped + 0x6000});
    process.program.push_back({mapped + 0x6000, mapped + 0x8000});
    process.program.push_back({mapped + 0x8000, mapped + 0xa000});
    process.blocks.push_back({mapped + 0x3000, 0x3800});  // It ends in the second one.
    CHECK(process.roots() == Pairs{all_data,
                                   {mapped, mapped + 0x2000},
                                   {mapped + 0x8000, mapped + 0x10000},
                                   other_stack,
                                   used_stack});
}

TEST_CASE("the shim's memory is no root, and what the program registers is one") {
    Process process;
    process.request->own[process.request->own_count++] = {data, data + 0x1000};
    process.request->roots[process.request->root_count++] = {heap + 0x1000, heap + 0x2000};
    CHECK(process.roots() == Pairs{{data + 0x1000, data + 0x2000},
                                   {heap + 0x1000, heap + 0x2000},
                                   all_mapped,
                                   other_stack,
                                   used_stack});
}

TEST_CASE("devices and the kernel's pages are none, but shared memory is, also that of a file") {
    Process process;
    for (const char* const path : {"/dev/nvidia0", "[vvar]"}) {
        process.memory.map({.begin = stack + 0x100000,
                            .end = stack + 0x101000,
                            .read = true,
                            .write = true,
                            .path = path});
    }
    process.memory.map({.begin = stack + 0x200000,
                        .end = stack + 0x201000,
                        .read = true,
                        .write = true,
                        .is_shared = true,
                        .path = "/dev/nvidia0"});
    CHECK(process.roots() == Pairs{all_data, all_mapped, other_stack, used_stack});
    process.memory.map({.begin = stack + 0x280000,
                        .end = stack + 0x281000,
                        .read = true,
                        .write = true,
                        .is_shared = true,
                        .path = "/var/cache/file"});
    CHECK(process.roots().back() ==
          std::pair<uint64_t, uint64_t>{stack + 0x280000, stack + 0x281000});
    process.memory.map({.begin = stack + 0x300000,
                        .end = stack + 0x301000,
                        .read = true,
                        .write = true,
                        .is_shared = true,
                        .path = "/dev/zero (deleted)"});
    CHECK(process.roots().back() ==
          std::pair<uint64_t, uint64_t>{stack + 0x300000, stack + 0x301000});
}

TEST_CASE("memory that the program cannot read now is a root if it has a page") {
    Process process;
    for (const uint64_t at : {stack + 0x100000, stack + 0x200000}) {
        process.memory.map({.begin = at, .end = at + 0x1000});
    }
    CHECK(process.roots() == Pairs{all_data, all_mapped, other_stack, used_stack});
    process.memory.put(stack + 0x200010, {heap + 0x10});
    CHECK(process.roots().back() ==
          std::pair<uint64_t, uint64_t>{stack + 0x200000, stack + 0x201000});
}

TEST_CASE("below the stack pointer there is nothing of a stack, but all of other memory") {
    Process process;
    process.request->stack_pointer = mapped + 0x8000;  // of a coroutine, in the program's memory
    process.request->thread_pointer = stack + 0x1f000;
    const std::pair<uint64_t, uint64_t> whole_stack{stack, stack + 0x20000};
    CHECK(process.roots() == Pairs{all_data, all_mapped, other_stack, whole_stack});
    process.request->thread_pointer = mapped + 0xf000;  // The main thread's data lie behind it.
    CHECK(process.roots() == Pairs{all_data, all_mapped, other_stack, whole_stack});
    process.request->stack_pointer = guard + 0x9000;  // a thread's own stack
    process.request->used_from = guard + 0x8ff8;
    process.request->thread_pointer = guard + 0x11000 - 0x940;
    CHECK(process.roots() == Pairs{all_data, all_mapped, other_stack, whole_stack});
    process.put_thread(process.request->thread_pointer, guard, 0x11000, 4711);
    const std::pair<uint64_t, uint64_t> used{guard + 0x8ff8, guard + 0x11000};
    CHECK(process.roots() == Pairs{all_data, all_mapped, used, whole_stack});
    // Another thread's stack lies below it.
    process.put_thread(process.request->thread_pointer, guard + 0x5000, 0xc000, 4711);
    const std::pair<uint64_t, uint64_t> other{guard + 0x1000, guard + 0x5000};
    CHECK(process.roots() == Pairs{all_data, all_mapped, other, used, whole_stack});
    process.request->used_from = 0;  // Nobody knows what is in use.
    CHECK(process.roots() == Pairs{all_data, all_mapped, other_stack, whole_stack});
}

TEST_CASE("the loader's data are told from those of other modules") {
    MadeUpMemory memory;
    const auto add = [&](uint64_t begin, const char* path) {
        memory.map(
            {.begin = begin, .end = begin + 0x1000, .read = true, .write = true, .path = path});
    };
    add(data, "/usr/bin/program");
    add(mapped, "/lib64/ld-linux-x86-64.so.2");
    add(mapped + 0x1000, "");  // what it has beyond its file
    const auto request = std::make_unique<LostRequest>();
    const BlockIndex blocks({});
    const Roots roots = find_roots(memory, {*request, {}, blocks, false});
    REQUIRE(roots.of_loader.size() == 1);
    CHECK(roots.of_loader[0].begin == mapped);
    CHECK(roots.of_loader[0].end == mapped + 0x2000);
}
