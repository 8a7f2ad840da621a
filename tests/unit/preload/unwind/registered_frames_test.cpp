// SPDX-License-Identifier: Apache-2.0
#include "preload/unwind/registered_frames.h"

#include <stdlib.h>
#include <sys/mman.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "preload/unwind/rule_cache.h"
#include "preload/unwind/unwind_generation.h"
#include "preload/unwind/unwind_tables.h"
#include "tests/unit/preload/unwind/eh_frame.h"
#include "tests/unit/test.h"

using namespace memtrace::preload;
using memtrace::tests::EntryParts;
using memtrace::tests::Tables;

namespace {

// Instructions for CFA = rsp + bytes.
memtrace::tests::Bytes frame_of(uint8_t bytes) { return {0x0e, bytes}; }

// Tables that a program registers, and deregisters at the end.
class Registered {
public:
    explicit Registered(std::initializer_list<EntryParts> entries) {
        const size_t common = tables_.add_common({});
        for (const EntryParts& entry : entries) tables_.add_entry(common, entry);
        section_ = tables_.header() + header_room;
        add_registered_frames(section_, section_, true, forget_unwind_rules);
    }
    ~Registered() { take_back(); }
    Registered(const Registered&) = delete;
    Registered& operator=(const Registered&) = delete;

    void take_back() {
        if (section_ != nullptr) remove_registered_frames(section_, forget_unwind_rules);
        section_ = nullptr;
    }
    uint8_t* section() { return const_cast<uint8_t*>(section_); }
    uint64_t code() const { return tables_.code(); }

private:
    static constexpr size_t header_room = 64;
    Tables tables_;
    const uint8_t* section_ = nullptr;
};

// Returns the CFA's distance from rsp at `pc`, or -1 if there is no unwind data.
int64_t frame_at(uint64_t pc) {
    const auto row = std::make_unique<UnwindRow>();
    const auto workspace = std::make_unique<RowWorkspace>();
    if (find_unwind_row(pc, *row, *workspace) != RowSearch::found) return -1;
    return row->cfa_offset;
}

}  // namespace

TEST_CASE("a registered function is found from its first byte to its last", "[registered_frames]") {
    Registered tables({{.begin = 0x100, .size = 0x40, .instructions = frame_of(48)}});
    const uint64_t begin = tables.code() + 0x100;
    CHECK(frame_at(begin) == 48);
    CHECK(frame_at(begin + 0x3f) == 48);
    CHECK(frame_at(begin - 1) == -1);
    CHECK(frame_at(begin + 0x40) == -1);
    CHECK(is_known_code(begin));
    CHECK(begins_function(begin));
    CHECK_FALSE(begins_function(begin + 1));
}

TEST_CASE("functions of all sizes are found", "[registered_frames]") {
    Registered tables({{.begin = 0x10, .size = 1, .instructions = frame_of(1)},
                       {.begin = 0x20, .size = 0x100, .instructions = frame_of(2)},
                       {.begin = 0x120, .size = 0x101, .instructions = frame_of(3)},
                       {.begin = 0xff8, .size = 0x1000, .instructions = frame_of(4)},
                       {.begin = 0x10000, .size = 0x123456, .instructions = frame_of(5)},
                       {.begin = 0x200000, .size = 0x40000000, .instructions = frame_of(6)}});
    CHECK(frame_at(tables.code() + 0x10) == 1);
    CHECK(frame_at(tables.code() + 0x11) == -1);
    CHECK(frame_at(tables.code() + 0x11f) == 2);
    CHECK(frame_at(tables.code() + 0x220) == 3);
    CHECK(frame_at(tables.code() + 0xff8) == 4);
    CHECK(frame_at(tables.code() + 0x1ff7) == 4);
    CHECK(frame_at(tables.code() + 0x123456) == 5);
    CHECK(frame_at(tables.code() + 0x200000 + 0x3fffffff) == 6);
}

TEST_CASE("what was taken back is not found, and an entry of it is void", "[registered_frames]") {
    Registered tables({{.begin = 0, .size = 0x40, .instructions = frame_of(48)}});
    UnwindEntry entry;
    RegisteredEntry found;
    REQUIRE(find_registered_entry(tables.code(), entry, found));
    CHECK(found.is_valid());
    tables.take_back();
    CHECK_FALSE(found.is_valid());
    CHECK(frame_at(tables.code()) == -1);
    CHECK_FALSE(is_known_code(tables.code()));
}

TEST_CASE("of two that cover an address the last is right", "[registered_frames]") {
    std::vector<uint8_t> code(64);
    const auto begin = reinterpret_cast<uint64_t>(code.data());
    const auto at = [&](Tables& tables, uint8_t bytes) {
        tables.add_entry(
            tables.add_common({.augmentation_data = {0}}),
            {.begin = begin - tables.code(), .encoding = 0, .instructions = frame_of(bytes)});
        return tables.header() + 64;
    };
    Tables first;
    Tables second;
    const uint8_t* const older = at(first, 16);
    const uint8_t* const newer = at(second, 32);
    add_registered_frames(older, older, true, forget_unwind_rules);
    CHECK(frame_at(begin) == 16);
    const uint64_t generation = unwind_generation();
    add_registered_frames(newer, newer, true, forget_unwind_rules);
    CHECK(frame_at(begin) == 32);
    CHECK(unwind_generation() != generation);  // anything remembered from the first tables is void
    remove_registered_frames(newer, forget_unwind_rules);
    CHECK(frame_at(begin) == 16);
    remove_registered_frames(older, forget_unwind_rules);
    CHECK(frame_at(begin) == -1);
}

TEST_CASE("what is taken back is forgotten if it was ever met", "[registered_frames]") {
    const auto scratch = std::make_unique<TableScratch>();
    const uint64_t generation = unwind_generation();
    Registered unmet({{.begin = 0, .size = 0x40}});
    unmet.take_back();
    CHECK(unwind_generation() == generation);
    Registered met({{.begin = 0, .size = 0x40, .instructions = frame_of(48)}});
    const uint64_t return_address = met.code() + 0x40;
    CHECK(find_unwind_rule(return_address, *scratch).cfa_offset() == 48);
    met.take_back();
    CHECK(unwind_generation() != generation);
    CHECK(find_unwind_rule(return_address, *scratch).kind() == StepKind::none);
}

TEST_CASE("the program's tables are not looked at again", "[registered_frames]") {
    Registered tables({{.begin = 0, .size = 0x40, .instructions = frame_of(48)}});
    std::memset(tables.section(), 0xff, 64);
    CHECK(frame_at(tables.code()) == 48);
}

TEST_CASE("a section that runs into unreadable memory is left alone", "[registered_frames]") {
    constexpr size_t page = 4096;
    auto* pages = static_cast<uint8_t*>(
        mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    REQUIRE(pages != MAP_FAILED);
    mprotect(pages + page, page, PROT_NONE);
    uint8_t* const section = pages + page - 8;
    section[0] = 100;
    add_registered_frames(section, section, true, forget_unwind_rules);
    CHECK(has_registered_frames(section));
    add_registered_frames(pages + page, pages + page, true, forget_unwind_rules);
    CHECK(remove_registered_frames(pages + page, forget_unwind_rules));
    CHECK(remove_registered_frames(section, forget_unwind_rules));
    munmap(pages, 2 * page);
}

TEST_CASE("an entry whose CIE is outside of its section is left out", "[registered_frames]") {
    Registered tables({{.begin = 0, .size = 0x40}});
    uint8_t* const section = tables.section();
    tables.take_back();
    uint32_t common_bytes;
    std::memcpy(&common_bytes, section, sizeof common_bytes);
    const uint32_t too_far = 0x10000;
    std::memcpy(section + common_bytes + 8, &too_far, sizeof too_far);
    add_registered_frames(section, section, true, forget_unwind_rules);
    CHECK(frame_at(tables.code()) == -1);
    remove_registered_frames(section, forget_unwind_rules);
}

TEST_CASE("what the loader knows is asked of the loader", "[registered_frames]") {
    const auto known = reinterpret_cast<uint64_t>(reinterpret_cast<const void*>(&::qsort));
    Tables tables;
    tables.add_entry(tables.add_common({.augmentation_data = {0}}),
                     {.begin = known - tables.code(), .encoding = 0});
    const uint8_t* const section = tables.header() + 64;
    add_registered_frames(section, section, true, forget_unwind_rules);
    UnwindEntry entry;
    RegisteredEntry found;
    CHECK_FALSE(find_registered_entry(known, entry, found));
    CHECK(has_registered_frames(section));
    remove_registered_frames(section, forget_unwind_rules);
    CHECK_FALSE(has_registered_frames(section));
}

TEST_CASE("whether the program's unwinder was told is remembered", "[registered_frames]") {
    Tables tables;
    tables.add_entry(tables.add_common({}), {});
    const uint8_t* const section = tables.header() + 64;
    add_registered_frames(section, section, false, forget_unwind_rules);
    CHECK_FALSE(remove_registered_frames(section, forget_unwind_rules));
    CHECK(remove_registered_frames(section, forget_unwind_rules));  // not registered any more
}

TEST_CASE("two threads register thousands while two others look", "[registered_frames]") {
    constexpr int rounds = 3000;
    Registered steady({{.begin = 0, .size = 0x40, .instructions = frame_of(48)}});
    std::atomic<uint64_t> place{0};
    std::atomic<bool> stop{false};
    std::atomic<int> wrong{0};
    const auto writer = [&] {
        for (int i = 0; i < rounds; ++i) {
            const auto bytes = static_cast<uint8_t>(8 + i % 100);
            Registered tables({{.begin = 0x40, .size = 0x30, .instructions = frame_of(bytes)}});
            wrong += frame_at(tables.code() + 0x40) != bytes;
            place = tables.code() + 0x40;
        }
    };
    const auto reader = [&] {
        while (!stop) {
            wrong += frame_at(steady.code()) != 48;
            frame_at(place);  // may be found or not, but must not crash
        }
    };
    std::thread threads[] = {std::thread(writer), std::thread(writer), std::thread(reader),
                             std::thread(reader)};
    threads[0].join();
    threads[1].join();
    stop = true;
    threads[2].join();
    threads[3].join();
    CHECK(wrong == 0);
}
