// SPDX-License-Identifier: Apache-2.0
#include "preload/unwind/cfi.h"

#include <random>
#include <utility>

#include "tests/unit/preload/unwind/eh_frame.h"
#include "tests/unit/test.h"

using namespace memtrace::preload;
using memtrace::tests::Bytes;
using memtrace::tests::CommonParts;
using memtrace::tests::EntryParts;
using memtrace::tests::Tables;
using memtrace::tests::usual_beginning;

namespace {

// --- Instructions: rows of one entry, without a table around it ----------------------------------

constexpr uint64_t code = 0x1000;

struct Row : UnwindRow {
    bool is_understood = false;
    const RegisterRule& rule(unsigned number) const { return registers[number]; }
};

Row row_of(const Bytes& common, const Bytes& own, uint64_t distance = 0,
           uint64_t code_alignment = 1) {
    UnwindEntry entry;
    entry.code_begin = code;
    entry.code_end = code + 0x100000;
    entry.code_alignment = code_alignment;
    entry.data_alignment = -8;
    entry.common_begin = common.data();
    entry.common_end = common.data() + common.size();
    entry.own_begin = own.data();
    entry.own_end = own.data() + own.size();
    RowWorkspace workspace;
    Row row;
    row.is_understood = find_row(entry, code + distance, row, workspace);
    return row;
}

int64_t cfa_offset_at(uint64_t distance, const Bytes& own, uint64_t code_alignment = 1) {
    return row_of(usual_beginning, own, distance, code_alignment).cfa_offset;
}

bool is_at(const RegisterRule& rule, int64_t offset) {
    return rule.kind == RegisterRule::at_offset && rule.offset == offset;
}

Bytes bytes_of(const Expression& expression) {
    return Bytes(expression.begin, expression.begin + expression.size);
}

// --- Tables -------------------------------------------------------------------------------------

bool finds(const uint8_t* header, uint64_t pc) {
    UnwindEntry entry;
    return find_unwind_entry(header, pc, entry);
}

bool finds_with(const CommonParts& parts, EntryParts entry = {}) {
    Tables tables;
    tables.add_entry(tables.add_common(parts), entry);
    return finds(tables.header(), tables.code() + entry.begin);
}

// GCC's instructions for a function of libtorch_cpu that realigns its stack.
const Bytes realigning_function = {
    0x45, 0x0c, 10, 0,                                             // CFA = r10
    0x4c, 0x10, 6,  2,    0x76, 0,                                 // rbp at *rbp
    0x44, 0x10, 15, 2,    0x76, 0x78, 0x10, 14, 2,    0x76, 0x70,  // r15, r14 below
    0x49, 0x0f, 3,  0x76, 0x58, 6,                                 // CFA = *(rbp - 40)
    0x10, 13,   2,  0x76, 0x68, 0x10, 12,   2,  0x76, 0x60,        // r13, r12
    0x48, 0x10, 3,  2,    0x76, 0x50, 0x03, 5,  14,                // rbx; 3589 bytes of code
    0x0a, 0x0c, 10, 0,    0x4d, 0x0c, 7,    8,  0x48, 0x0b,        // the way out, and back
    0,    0,    0,  0,    0,    0,    0};

}  // namespace

TEST_CASE("a row begins where the code has advanced to", "[cfi]") {
    const Bytes own = {0x41, 0x0e, 16,   0x02, 0x80, 0x0e, 24, 0x03, 0, 1,
                       0x0e, 32,   0x04, 0,    0,    1,    0,  0x0e, 40};
    CHECK(cfa_offset_at(0, own) == 8);
    CHECK(cfa_offset_at(1, own) == 16);
    CHECK(cfa_offset_at(0x80, own) == 16);
    CHECK(cfa_offset_at(0x81, own) == 24);
    CHECK(cfa_offset_at(0x181, own) == 32);
    CHECK(cfa_offset_at(0x10180, own) == 32);
    CHECK(cfa_offset_at(0x10181, own) == 40);
    CHECK(cfa_offset_at(3, own, 4) == 8);  // Advances count in units of the code alignment.
    CHECK(cfa_offset_at(4, own, 4) == 16);
    const Bytes set_location = {0x01, 0x20, 0x10, 0, 0, 0, 0, 0, 0, 0x0e, 16};
    CHECK(cfa_offset_at(0x1f, set_location) == 8);
    CHECK(cfa_offset_at(0x20, set_location) == 16);
}

TEST_CASE("a remembered row comes back whole, and the last one first", "[cfi]") {
    const Bytes own = {0x86, 2,    0x0a, 0x41, 0x0e, 16,   0x86, 3,   0x0a,
                       0x41, 0x0e, 24,   0xc6, 0x41, 0x0b, 0x41, 0x0b};
    CHECK(is_at(row_of(usual_beginning, own, 0).rule(register_rbp), -16));
    CHECK(is_at(row_of(usual_beginning, own, 1).rule(register_rbp), -24));
    CHECK(row_of(usual_beginning, own, 2).rule(register_rbp).kind == RegisterRule::same);
    const Row third = row_of(usual_beginning, own, 3);
    CHECK(is_at(third.rule(register_rbp), -24));
    CHECK(third.cfa_offset == 16);
    const Row fourth = row_of(usual_beginning, own, 4);
    CHECK(is_at(fourth.rule(register_rbp), -16));
    CHECK(fourth.cfa_offset == 8);
}

TEST_CASE("six rows can be remembered, and none that is not there restored", "[cfi]") {
    const Bytes six(RowWorkspace::remembered_max, 0x0a);
    const Bytes seven(RowWorkspace::remembered_max + 1, 0x0a);
    CHECK(row_of(usual_beginning, six).is_understood);
    CHECK_FALSE(row_of(usual_beginning, seven).is_understood);
    CHECK_FALSE(row_of(usual_beginning, {0x0b}).is_understood);
}

TEST_CASE("a restored register has the rule of the CIE again", "[cfi]") {
    const Bytes common = {0x0c, 7, 8, 0x90, 1, 0x86, 2};
    const Row row = row_of(common, {0x86, 5, 0x83, 6, 0xc6, 0x06, 3});
    CHECK(is_at(row.rule(register_rbp), -16));
    CHECK(row.rule(register_rbx).kind == RegisterRule::same);
}

TEST_CASE("each instruction gives a register its rule", "[cfi]") {
    const auto rule = [](const Bytes& own) {
        const Row row = row_of(usual_beginning, own);
        REQUIRE(row.is_understood);
        return row.rule(register_r12);
    };
    CHECK(is_at(rule({0x8c, 4}), -32));              // offset
    CHECK(is_at(rule({0x05, 12, 0x80, 1}), -1024));  // offset_extended
    CHECK(is_at(rule({0x11, 12, 0x7e}), 16));        // offset_extended_sf: -2
    CHECK(is_at(rule({0x2f, 12, 2}), 16));           // GNU_negative_offset_extended
    CHECK(rule({0x07, 12}).kind == RegisterRule::undefined);
    CHECK(rule({0x8c, 4, 0x08, 12}).kind == RegisterRule::same);
    CHECK(rule({0x09, 12, 3}).kind == RegisterRule::in_register);
    CHECK(rule({0x09, 12, 3}).offset == register_rbx);
    CHECK(rule({0x14, 12, 2}).kind == RegisterRule::is_offset);
    CHECK(rule({0x14, 12, 2}).offset == -16);
    CHECK(rule({0x15, 12, 0x7e}).offset == 16);
    const Bytes at = {0x10, 12, 2, 0x76, 0x78};
    CHECK(rule(at).kind == RegisterRule::at_expression);
    CHECK(bytes_of(rule(at).expression) == Bytes{0x76, 0x78});
    const Bytes is = {0x16, 12, 2, 0x76, 0x78};
    CHECK(rule(is).kind == RegisterRule::is_expression);
}

TEST_CASE("each instruction gives the CFA what it says", "[cfi]") {
    const auto cfa = [](const Bytes& own) {
        const Row row = row_of(usual_beginning, own);
        REQUIRE(row.is_understood);
        return std::pair<int, int64_t>{row.cfa_register, row.cfa_offset};
    };
    CHECK(cfa({0x0d, 6}) == std::pair<int, int64_t>{6, 8});
    CHECK(cfa({0x0c, 3, 0x90, 1}) == std::pair<int, int64_t>{3, 144});
    CHECK(cfa({0x12, 6, 0x7d}) == std::pair<int, int64_t>{6, 24});
    CHECK(cfa({0x13, 0x7d}) == std::pair<int, int64_t>{7, 24});
    CHECK(cfa({0x2e, 0x80, 1, 0x0e, 16}) == std::pair<int, int64_t>{7, 16});  // GNU_args_size
    const Bytes own = {0x0f, 3, 0x76, 0x78, 0x06};
    const Row row = row_of(usual_beginning, own);
    CHECK(bytes_of(row.cfa_expression) == Bytes{0x76, 0x78, 0x06});
    CHECK(row_of(usual_beginning, {0x0f, 2, 0x76, 0, 0x0c, 7, 8}).cfa_expression.size == 0);
}

TEST_CASE("vector registers are passed over", "[cfi]") {
    const Bytes own = {0x80 | 23, 4, 0x05, 24, 2, 0x07, 25, 0x06, 24, 0x86, 2};
    const Row row = row_of(usual_beginning, own);
    CHECK(row.is_understood);
    CHECK(is_at(row.rule(register_rbp), -16));
}

TEST_CASE("an unknown instruction spoils the rows behind it, and none before", "[cfi]") {
    const Bytes own = {0x41, 0x0e, 16, 0x41, 0x3f, 0x0e, 24};
    CHECK(row_of(usual_beginning, own, 1).is_understood);
    CHECK_FALSE(row_of(usual_beginning, own, 2).is_understood);
    CHECK_FALSE(row_of({0x3f}, {}).is_understood);
}

TEST_CASE("instructions that end in the middle are not understood", "[cfi]") {
    const Bytes whole_ones[] = {
        {0x0c, 7, 8},          {0x86, 2},       {0x11, 12, 0x7e},
        {0x04, 1, 0, 0, 0},    {0x03, 1, 0},    {0x0e, 0x80, 1},
        {0x0f, 3, 0x76, 0, 6}, {0x10, 6, 1, 6}, {0x01, 0, 0, 0, 0, 0, 0, 0, 0}};
    for (const Bytes& whole : whole_ones) {
        INFO("instruction " << static_cast<int>(whole[0]));
        CHECK(row_of(usual_beginning, whole, 0xfffff).is_understood);
        for (size_t size = 1; size < whole.size(); ++size) {
            const Bytes part(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
            CHECK_FALSE(row_of(usual_beginning, part, 0xfffff).is_understood);
        }
    }
}

TEST_CASE("an address is found in the entry that covers it and in no gap", "[cfi]") {
    // In the table's order and in another; by search, and by reading all entries.
    for (const bool is_searched : {true, false}) {
        Tables tables;
        const size_t common = tables.add_common({});
        for (const uint64_t begin : {0x40, 0x10, 0x20}) {
            const auto cfa_offset = static_cast<uint8_t>(begin);
            tables.add_entry(common, {.begin = begin, .instructions = {0x0e, cfa_offset}});
        }
        const uint8_t* header = is_searched ? tables.header() : tables.header(0xff, 0xff);
        const uint64_t at = tables.code();
        CHECK_FALSE(finds(header, at + 0xf));
        CHECK(finds(header, at + 0x10));
        CHECK(finds(header, at + 0x2f));
        CHECK_FALSE(finds(header, at + 0x30));
        CHECK_FALSE(finds(header, at + 0x3f));
        CHECK(finds(header, at + 0x4f));
        CHECK_FALSE(finds(header, at + 0x50));
        UnwindEntry entry;
        UnwindRow row;
        RowWorkspace workspace;
        REQUIRE(find_unwind_entry(header, at + 0x2f, entry));
        CHECK(entry.code_begin == at + 0x20);
        CHECK(entry.code_end == at + 0x30);
        REQUIRE(find_row(entry, at + 0x2f, row, workspace));
        CHECK(row.cfa_offset == 0x20);
    }
}

TEST_CASE("a search table in an unusual form is not searched, but its entries are read", "[cfi]") {
    Tables tables;
    const size_t common = tables.add_common({});
    tables.add_entry(common, {.begin = 0x10});
    tables.add_entry(common, {.begin = 0x20});
    CHECK(finds(tables.header(0x03, 0x1b), tables.code() + 0x2f));
    CHECK_FALSE(finds(tables.header(0x03, 0x1b), tables.code() + 0x30));
}

TEST_CASE("the header of another version, or without an entry, finds nothing", "[cfi]") {
    Tables tables;
    tables.add_entry(tables.add_common({}), {});
    Bytes other(tables.header(), tables.header() + 64);
    other[0] = 2;
    CHECK_FALSE(finds(other.data(), tables.code()));
    Tables empty;
    CHECK_FALSE(finds(empty.header(), empty.code()));
    CHECK_FALSE(finds(empty.header(0xff, 0xff), empty.code()));
}

TEST_CASE("entries are read in each encoding of their pointers", "[cfi]") {
    for (const uint8_t encoding : {0x00, 0x04, 0x0c, 0x01, 0x09, 0x10, 0x19, 0x1a, 0x1b, 0x1c}) {
        INFO("encoding " << static_cast<int>(encoding));
        CHECK(finds_with({.augmentation_data = {encoding}}, {.begin = 0x30, .encoding = encoding}));
    }
    // A pointer to the pointer, and a pointer relative to the start of the text. No compiler emits
    // them.
    CHECK_FALSE(finds_with({.augmentation_data = {0x9b}}));
    CHECK_FALSE(finds_with({.augmentation_data = {0x2b}}));
}

TEST_CASE("augmentations that are known are understood, and no others", "[cfi]") {
    CHECK(finds_with({.augmentation = "zR"}));
    // The personality routine's pointer has a separate encoding, and so have LSDA pointers.
    const CommonParts with_personality = {.augmentation = "zPLR",
                                          .augmentation_data = {0x9b, 1, 2, 3, 4, 0x1b, 0x1b}};
    CHECK(finds_with(with_personality, {.augmentation_data = {1, 2, 3, 4}}));
    const CommonParts with_wide_personality = {
        .augmentation = "zPLR", .augmentation_data = {0, 1, 2, 3, 4, 5, 6, 7, 8, 0x1b, 0x1b}};
    CHECK(finds_with(with_wide_personality, {.augmentation_data = {1, 2, 3, 4}}));
    CHECK(finds_with({.augmentation = "", .augmentation_data = {}}, {.encoding = 0}));
    CHECK_FALSE(finds_with({.augmentation = "zRB"}));
    CHECK_FALSE(finds_with({.augmentation = "eh"}));
}

TEST_CASE("an entry of a signal frame says so in its rows", "[cfi]") {
    Tables tables;
    tables.add_entry(tables.add_common({.augmentation = "zRS"}), {});
    UnwindEntry entry;
    REQUIRE(find_unwind_entry(tables.header(), tables.code(), entry));
    UnwindRow row;
    RowWorkspace workspace;
    REQUIRE(find_row(entry, tables.code(), row, workspace));
    CHECK(row.is_signal_frame);
}

TEST_CASE("a CIE of another version or machine is not used", "[cfi]") {
    CHECK(finds_with({.version = 1}));
    CHECK(finds_with({.version = 3}));
    CHECK_FALSE(finds_with({.version = 2}));
    CHECK_FALSE(finds_with({.version = 4}));
    CHECK_FALSE(finds_with({.return_column = 30}));
}

TEST_CASE("an entry may have a length of eight bytes", "[cfi]") {
    CHECK(finds_with({}, {.has_long_length = true}));
}

TEST_CASE("damaged instructions never lead out of their bytes", "[cfi]") {
    std::mt19937 random(20240229);
    unsigned understood = 0;
    unsigned refused = 0;
    unsigned outside = 0;
    for (int round = 0; round < 20000; ++round) {
        Bytes damaged = realigning_function;
        for (unsigned flips = random() % 4 + 1; flips != 0; --flips) {
            damaged[random() % damaged.size()] ^= static_cast<uint8_t>(1u << random() % 8);
        }
        const Row row = row_of(usual_beginning, damaged, random() % 0x1000);
        ++(row.is_understood ? understood : refused);
        const auto first = reinterpret_cast<uint64_t>(damaged.data());
        const auto check = [&](const Expression& expression) {
            const auto begin = reinterpret_cast<uint64_t>(expression.begin);
            const uint64_t end = begin + expression.size;
            outside += expression.size != 0 && (begin < first || end > first + damaged.size());
        };
        check(row.cfa_expression);
        for (const RegisterRule& rule : row.registers) check(rule.expression);
    }
    CHECK(outside == 0);
    CHECK(understood > 1000);
    CHECK(refused > 1000);
}
