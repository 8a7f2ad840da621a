// SPDX-License-Identifier: Apache-2.0
//
// Steps by hand-made entries. In the assembler code below, each function is one instruction that is
// never run, and its entry is tested. Whole walks are in full_walk_test.cpp.
#include "preload/unwind/full_step.h"

#include <sys/mman.h>

#include <utility>

#include "tests/unit/test.h"

using namespace memtrace::preload;

// Expressions, each with its bytes and its result. The step begins with the registers of Frame. The
// CFA, 0x1008, is the first value on the expression's stack.
#define VALUES(CASE)                                                                        \
    CASE("the CFA", "0x96", 0x1008)                                                         \
    CASE("lit", "0x41", 17)                                                                 \
    CASE("addr", "0x03, 8, 7, 6, 5, 4, 3, 2, 1", 0x0102030405060708)                        \
    CASE("const1u", "0x08, 0xff", 0xff)                                                     \
    CASE("const1s", "0x09, 0xff", ~uint64_t{0})                                             \
    CASE("const2u", "0x0a, 0xfe, 0xff", 0xfffe)                                             \
    CASE("const2s", "0x0b, 0xfe, 0xff", ~uint64_t{1})                                       \
    CASE("const4u", "0x0c, 0xfd, 0xff, 0xff, 0xff", 0xfffffffd)                             \
    CASE("const4s", "0x0d, 0xfd, 0xff, 0xff, 0xff", ~uint64_t{2})                           \
    CASE("const8u", "0x0e, 1, 0, 0, 0, 0, 0, 0, 0x80", 0x8000000000000001)                  \
    CASE("const8s", "0x0f, 1, 0, 0, 0, 0, 0, 0, 0x80", 0x8000000000000001)                  \
    CASE("constu", "0x10, 0x80, 1", 128)                                                    \
    CASE("consts", "0x11, 0x80, 0x7f", ~uint64_t{127})                                      \
    CASE("breg7", "0x77, 0x70", 0xff0)                                                      \
    CASE("bregx", "0x92, 7, 0x10", 0x1010)                                                  \
    CASE("plus_uconst", "0x23, 0x80, 1", 0x1088)                                            \
    CASE("deref", "0x76, 8, 0x06", 0x8877665544332211)                                      \
    CASE("deref_size 1", "0x76, 8, 0x94, 1", 0x11)                                          \
    CASE("deref_size 4, across words", "0x76, 6, 0x94, 4", 0x22110000)                      \
    CASE("dup", "0x34, 0x12, 0x22", 8)                                                      \
    CASE("drop", "0x34, 0x35, 0x13", 4)                                                     \
    CASE("over", "0x34, 0x35, 0x14", 4)                                                     \
    CASE("pick 2", "0x34, 0x35, 0x36, 0x15, 2", 4)                                          \
    CASE("swap", "0x39, 0x35, 0x16, 0x1c", ~uint64_t{3})                                    \
    CASE("rot: the second is on top", "0x31, 0x32, 0x33, 0x17", 2)                          \
    CASE("rot: the first is third", "0x31, 0x32, 0x33, 0x17, 0x13, 0x13", 3)                \
    CASE("abs", "0x09, 0xfb, 0x19", 5)                                                      \
    CASE("neg", "0x35, 0x1f", ~uint64_t{4})                                                 \
    CASE("not", "0x35, 0x20", ~uint64_t{5})                                                 \
    CASE("and", "0x3c, 0x3a, 0x1a", 8)                                                      \
    CASE("or", "0x3c, 0x3a, 0x21", 14)                                                      \
    CASE("xor", "0x3c, 0x3a, 0x27", 6)                                                      \
    CASE("plus", "0x3c, 0x3a, 0x22", 22)                                                    \
    CASE("minus", "0x3c, 0x3a, 0x1c", 2)                                                    \
    CASE("mul", "0x3c, 0x3a, 0x1e", 120)                                                    \
    CASE("shl", "0x3c, 0x33, 0x24", 96)                                                     \
    CASE("shl by all", "0x3c, 0x08, 64, 0x24", 0)                                           \
    CASE("shr", "0x09, 0xff, 0x08, 60, 0x25", 15)                                           \
    CASE("shr by all", "0x3c, 0x08, 64, 0x25", 0)                                           \
    CASE("shra", "0x09, 0xf0, 0x32, 0x26", ~uint64_t{3})                                    \
    CASE("shra by all", "0x09, 0xf0, 0x08, 64, 0x26", ~uint64_t{0})                         \
    CASE("eq", "0x33, 0x33, 0x29", 1)                                                       \
    CASE("ne", "0x33, 0x33, 0x2e", 0)                                                       \
    CASE("ge has a sign", "0x33, 0x09, 0xff, 0x2a", 1)                                      \
    CASE("gt has a sign", "0x33, 0x09, 0xff, 0x2b", 1)                                      \
    CASE("le has a sign", "0x33, 0x09, 0xff, 0x2c", 0)                                      \
    CASE("lt has a sign", "0x33, 0x09, 0xff, 0x2d", 0)                                      \
    CASE("skip", "0x35, 0x2f, 1, 0, 0x13, 0x96", 5)                                         \
    CASE("bra, taken", "0x35, 0x31, 0x28, 1, 0, 0x13", 5)                                   \
    CASE("bra, not taken", "0x35, 0x30, 0x28, 1, 0, 0x13", 0x1008)                          \
    CASE("bra, back: 3 + 2 + 1",                                                            \
         "0x30, 0x33, 0x16, 0x14, 0x22, 0x16, 0x31, 0x1c, 0x12, 0x28, 0xf6, 0xff, 0x13", 6) \
    CASE("an entry of a PLT, pushed",                                                       \
         "0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22", 0x1010)              \
    CASE("an entry of a PLT, before",                                                       \
         "0x77, 8, 0x80, 0x7f, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22", 0x1008)

// The same for expressions that have no result.
#define FAULTS(CASE)                                              \
    CASE("nothing on the stack", "0x13, 0x22")                    \
    CASE("an unknown operation", "0x96, 0xe0")                    \
    CASE("half a constant", "0x0c, 1, 2")                         \
    CASE("half a number", "0x10, 0x80")                           \
    CASE("a number without an end", "0x92, 0x87")                 \
    CASE("pick of what is not there", "0x15, 9")                  \
    CASE("skip behind the end", "0x2f, 1, 0")                     \
    CASE("skip before the beginning", "0x2f, 0xfc, 0xff")         \
    CASE("a loop without an end", "0x2f, 0xfd, 0xff")             \
    CASE("pushes without an end", "0x31, 0x2f, 0xfc, 0xff")       \
    CASE("deref of nothing", "0x30, 0x06")                        \
    CASE("deref of what is no address", "0x09, 0xf8, 0x06")       \
    CASE("deref across the end of addresses", "0x09, 0xfc, 0x06") \
    CASE("deref_size 9", "0x76, 0, 0x94, 9")                      \
    CASE("register 17", "0x92, 17, 0")                            \
    CASE("register 31", "0x8f, 0")

// The return address is the result of the expression.
#define CODE_OF(name, bytes, ...) "expression " bytes "\n"
asm(R"(
    .text
    .macro expression bytes:vararg
    .set expression_bytes, 0
    .irp byte, \bytes
    .set expression_bytes, expression_bytes + 1
    .endr
    .cfi_startproc
    .cfi_escape 0x16, 16, expression_bytes, \bytes
    nop
    .cfi_endproc
    .endm
memtrace_test_values:
)" VALUES(CODE_OF) "memtrace_test_faults:\n" FAULTS(CODE_OF) ".purgem expression\n");
extern "C" const char memtrace_test_values[];
extern "C" const char memtrace_test_faults[];

// Rows of other kinds, in the order of enum Code.
#define ROW(directives) ".cfi_startproc\n" directives "\n nop\n .cfi_endproc\n"
asm(".text\n"
    "memtrace_test_rows:\n" ROW(".cfi_undefined rip") ROW(".cfi_register rip, rbx")
        ROW(".cfi_def_cfa r10, 0") ROW(".cfi_escape 0x0f, 3, 0x76, 24, 0x06")
            ROW(".cfi_escape 0x10, 16, 2, 0x76, 16") ROW(".cfi_escape 0x16, 16, 3, 0x76, 4, 0x06")
                ROW(".cfi_escape 0x0f, 2, 0x7a, 0")
                    ROW(".cfi_def_cfa rbp, 24; .cfi_undefined rbp; .cfi_val_offset r12, -16; "
                        ".cfi_offset r13, -16") ROW(".cfi_def_cfa rbp, 24; .cfi_signal_frame"));
extern "C" const char memtrace_test_rows[];

namespace {

enum Code {
    code_without_caller,
    code_with_return_in_rbx,
    code_with_cfa_in_r10,
    code_with_cfa_in_memory,
    code_with_return_in_memory,
    code_with_unaligned_read,
    code_with_expression_of_r10,
    code_with_many_rules,
    code_of_signal_frame,
};

uint64_t address_of(const void* place) { return reinterpret_cast<uint64_t>(place); }

// A frame with rsp = 0x1000, where nothing can be read, and rbp at `memory`.
struct Frame {
    uint64_t memory[4] = {0x66, 0x8877665544332211, 0x3000, address_of(&memory[3])};
    StackBounds bounds;
    StackReader stack{bounds, address_of(memory)};
    TableScratch scratch;
    Registers registers;
    Position position;

    void stand_at(const char* code) {
        registers = {};
        registers.set(register_return, 0x200b);
        registers.set(register_rsp, 0x1000);
        registers.set(register_rbp, address_of(memory));
        position = {address_of(code), 0x1000, address_of(memory), true};
    }
    void stand_at(Code code) { stand_at(memtrace_test_rows + code); }

    FullStep step() { return step_fully(position, registers, stack, scratch); }
    FullStep step_from(const char* code) {
        stand_at(code);
        return step();
    }
    FullStep step_from(Code code) { return step_from(memtrace_test_rows + code); }
};

}  // namespace

TEST_CASE("each operation of an expression does what DWARF says", "[full_step]") {
    struct Value {
        const char* name;
        uint64_t wanted;
    };
#define VALUE_OF(name, bytes, value) {name, value},
    constexpr Value values[] = {VALUES(VALUE_OF)};
    Frame frame;
    const char* code = memtrace_test_values;
    for (const Value& value : values) {
        INFO(value.name);
        REQUIRE(frame.step_from(code++) == FullStep::stepped);
        CHECK(frame.position.pc == value.wanted);
        CHECK(frame.position.sp == 0x1008);
    }
}

TEST_CASE("an expression that makes no sense ends the walk", "[full_step]") {
#define NAME_OF(name, bytes) name,
    constexpr const char* names[] = {FAULTS(NAME_OF)};
    Frame frame;
    const char* code = memtrace_test_faults;
    for (const char* name : names) {
        INFO(name);
        CHECK(frame.step_from(code++) == FullStep::failed);
    }
}

TEST_CASE("a row may need a register that is not known", "[full_step]") {
    Frame frame;
    CHECK(frame.step_from(code_with_cfa_in_r10) == FullStep::unknown);
    CHECK(frame.step_from(code_with_expression_of_r10) == FullStep::unknown);
    CHECK(frame.step_from(code_with_return_in_rbx) == FullStep::unknown);
    CHECK(frame.position.sp == 0x1000);  // Nothing has moved.
    frame.registers.set(register_rbx, 0x4000);
    CHECK(frame.step() == FullStep::stepped);
    CHECK(frame.position.pc == 0x4000);
    CHECK(frame.position.sp == 0x1008);
}

TEST_CASE("a function without a caller is the end", "[full_step]") {
    Frame frame;
    CHECK(frame.step_from(code_without_caller) == FullStep::end);
}

TEST_CASE("a step needs unwind data", "[full_step]") {
    Frame frame;
    CHECK(frame.step_from(reinterpret_cast<const char*>(frame.memory)) == FullStep::no_data);
}

TEST_CASE("a step needs memory that can be read, at a multiple of eight", "[full_step]") {
    Frame frame;
    for (const uint64_t wrong : {uint64_t{0x1000}, address_of(frame.memory) + 1}) {
        frame.stand_at(code_with_many_rules);
        frame.registers.set(register_rbp, wrong);
        CHECK(frame.step() == FullStep::failed);
    }
}

TEST_CASE("an expression reads no word that is only half in memory", "[full_step]") {
    constexpr size_t page_bytes = 4096;
    void* pages = mmap(nullptr, 2 * page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(pages != MAP_FAILED);
    const uint64_t end = address_of(pages) + page_bytes;
    REQUIRE(mprotect(reinterpret_cast<void*>(end), page_bytes, PROT_NONE) == 0);
    Frame frame;
    for (const auto& [place, wanted] :
         {std::pair{end - 16, FullStep::stepped}, std::pair{end - 8, FullStep::failed}}) {
        frame.stand_at(code_with_unaligned_read);
        frame.registers.set(register_rbp, place);
        CHECK(frame.step() == wanted);
    }
    munmap(pages, 2 * page_bytes);
}

TEST_CASE("the CFA and the return address may be found in memory", "[full_step]") {
    Frame frame;
    REQUIRE(frame.step_from(code_with_cfa_in_memory) == FullStep::stepped);
    CHECK(frame.position.sp == address_of(&frame.memory[3]));
    CHECK(frame.position.pc == 0x3000);
    REQUIRE(frame.step_from(code_with_return_in_memory) == FullStep::stepped);
    CHECK(frame.position.sp == 0x1008);
    CHECK(frame.position.pc == 0x3000);
}

TEST_CASE("each register of the caller is found by its own rule", "[full_step]") {
    Frame frame;
    REQUIRE(frame.step_from(code_with_many_rules) == FullStep::stepped);
    const uint64_t cfa = address_of(&frame.memory[3]);
    CHECK(frame.position.pc == 0x3000);
    CHECK(frame.position.sp == cfa);
    CHECK(frame.position.fp == 0);  // lost
    CHECK_FALSE(frame.position.is_exact);
    CHECK(frame.registers.value[register_r12] == cfa - 16);
    CHECK(frame.registers.value[register_r12 + 1] == 0x8877665544332211);
    CHECK_FALSE(frame.registers.has(register_rbx));
}

TEST_CASE("what a signal interrupted is at an exact instruction", "[full_step]") {
    Frame frame;
    REQUIRE(frame.step_from(code_of_signal_frame) == FullStep::stepped);
    CHECK(frame.position.is_exact);
    CHECK(frame.position.lookup() == frame.position.pc);
}
