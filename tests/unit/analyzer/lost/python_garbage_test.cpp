// SPDX-License-Identifier: Apache-2.0
#include "analyzer/lost/python_garbage.h"

#include "tests/unit/analyzer/lost/python_memory.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using memtrace::LostRange;

namespace {

constexpr uint64_t buffer = 0x1000, other = 0x2000;
constexpr LostRange root{0x100, 0x180};

// Two objects that the collector tracks refer to each other, and one to a buffer of the heap.
struct Story {
    PythonMemory memory;
    BlockIndex blocks{{{buffer, 64}, {other, 64}}};

    Story() {
        memory.put_object(0, PythonMemory::list_head, memory.cell(1));
        memory.put_object(1, memory.cell(0), PythonMemory::list_head);
        memory.refer(0, memory.object(1));
        memory.put(memory.object(1) + 16, {memory.object(0), buffer});
        memory.put(root.begin, {memory.cell(0), memory.cell(1)});  // the ends of the list
    }
    std::vector<uint64_t> garbage() {
        const std::vector<LostRange> arenas{memory.arena()};
        const PointerSearch::IsAsGood never = [](const SearchedBlock&, uint64_t) { return false; };
        const auto add_root = [](PointerSearch& search, const BlockIndex&, const RangeSet&) {
            search.add_root(root);
        };
        return find_python_garbage(memory, {blocks, arenas, never, add_root});
    }
};

using Addresses = std::vector<uint64_t>;

}  // namespace

TEST_CASE("python_garbage: what only a cycle holds is garbage") {
    Story story;
    CHECK(story.garbage() == Addresses{buffer});
}

TEST_CASE("python_garbage: a reference from outside keeps all of it") {
    Story story;
    SECTION("from a root") { story.memory.put(root.begin + 16, {story.memory.object(0)}); }
    SECTION("from a block that a root points to") {
        story.memory.put(root.begin + 16, {other});
        story.memory.put(other, {story.memory.object(1)});
    }
    SECTION("with a mark in its lowest bits") {
        story.memory.put(root.begin + 16, {story.memory.object(0) | 1});
    }
    CHECK(story.garbage().empty());
}

TEST_CASE("python_garbage: a weak reference from outside keeps nothing") {
    Story story;
    const uint64_t type = GENERATE(PythonMemory::weak_type, PythonMemory::derived_type);
    story.memory.put_object(1, story.memory.cell(0), story.memory.cell(2));
    story.memory.put_object(2, story.memory.cell(1), PythonMemory::list_head, type);
    story.memory.refer(2, story.memory.object(0));
    story.memory.put(root.begin + 16, {story.memory.object(2)});
    CHECK(story.garbage() == Addresses{buffer});
}

TEST_CASE("python_garbage: a block that no object holds is none") {
    Story story;
    story.memory.put(story.memory.object(1) + 24, {0});
    CHECK(story.garbage().empty());
}

TEST_CASE("python_garbage: a process without Python is not searched") {
    MadeUpMemory memory;
    memory.map({0x1000, 0x2000, true, true, false, false, "/usr/bin/redis-server"});
    CHECK_FALSE(has_python(memory, {}));
    memory.map({0x3000, 0x4000, true, true, false, false, "/usr/lib/libpython3.11.so.1.0"});
    CHECK(has_python(memory, {}));
}
