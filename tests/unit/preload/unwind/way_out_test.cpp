// SPDX-License-Identifier: Apache-2.0
//
// Functions in assembly, without unwind data, call back here. tests/programs/ways_out_of_assembly.c
// has more shapes.
#include "preload/unwind/way_out.h"

#include "preload/unwind/rule_cache.h"

#include "tests/unit/test.h"

using namespace memtrace::preload;

extern "C" void way_out_test_saves_registers(void (*callback)());
extern "C" void way_out_test_keeps_frame(void (*callback)());
extern "C" void way_out_test_hides_stack(void (*callback)());

asm(R"(
    .text
    .type way_out_test_saves_registers, @function
way_out_test_saves_registers:
    push %rbp
    push %rbx
    sub $40, %rsp
    xor %ebp, %ebp
    call *%rdi
    add $40, %rsp
    pop %rbx
    pop %rbp
    ret
    .size way_out_test_saves_registers, . - way_out_test_saves_registers

    .type way_out_test_keeps_frame, @function
way_out_test_keeps_frame:
    push %rbp
    mov %rsp, %rbp
    and $-32, %rsp
    sub $96, %rsp
    call *%rdi
    leave
    ret
    .size way_out_test_keeps_frame, . - way_out_test_keeps_frame

    .type way_out_test_hides_stack, @function
way_out_test_hides_stack:
    push %r12
    mov %rsp, %r12
    and $-32, %rsp
    call *%rdi
    mov %r12, %rsp
    pop %r12
    ret
    .size way_out_test_hides_stack, . - way_out_test_hides_stack
)");

namespace {

UnwindRule found;
uint64_t caller_pc;

// The position of the function in assembly at its call.
[[gnu::noinline, gnu::optimize("no-omit-frame-pointer")]] void look() {
    const auto* const words = static_cast<const uint64_t*>(__builtin_frame_address(0));
    const Position at{words[1], reinterpret_cast<uint64_t>(words + 2), words[0], false};
    StackBounds bounds;
    StackReader stack(bounds, at.sp);
    found = find_way_out(at, stack);
    const uint64_t base = found.reads_frame_pointer() ? at.fp : at.sp;
    const auto cfa = base + static_cast<uint64_t>(found.cfa_offset());
    caller_pc = found.kind() == StepKind::none ? 0 : StackReader::word(cfa - 8);
}

}  // namespace

TEST_CASE("registers that are saved are counted on the way out", "[way_out]") {
    way_out_test_saves_registers(look);
    CHECK(found == UnwindRule(StepKind::sp_save, 64, -16));
    CHECK(is_behind_call(caller_pc));
}

TEST_CASE("a frame pointer leads out of an aligned stack", "[way_out]") {
    way_out_test_keeps_frame(look);
    CHECK(found == UnwindRule(StepKind::fp_save, 16, -16));
    CHECK(is_behind_call(caller_pc));
}

TEST_CASE("a stack pointer that comes from another register is not followed", "[way_out]") {
    way_out_test_hides_stack(look);
    CHECK(found.kind() == StepKind::none);
}

TEST_CASE("only an address behind a call is one that a call left", "[way_out]") {
    CHECK(is_behind_call(reinterpret_cast<uint64_t>(__builtin_return_address(0))));
    CHECK_FALSE(is_behind_call(reinterpret_cast<uint64_t>(&way_out_test_keeps_frame)));
    CHECK_FALSE(is_behind_call(8));
    int local = 0;
    CHECK_FALSE(is_behind_call(reinterpret_cast<uint64_t>(&local)));
}

TEST_CASE("the code of functions with unwind data leads where their data leads", "[way_out]") {
    static TableScratch scratch;
    const auto* const words = static_cast<const uint64_t*>(__builtin_frame_address(0));
    Position at{words[1], reinterpret_cast<uint64_t>(words + 2), words[0], false};
    StackBounds bounds;
    StackReader stack(bounds, at.sp);
    const auto cfa_by = [&at](const UnwindRule& rule) {
        return (rule.reads_frame_pointer() ? at.fp : at.sp) +
               static_cast<uint64_t>(rule.cfa_offset());
    };
    unsigned frames = 0, same = 0;
    for (;; ++frames) {
        const UnwindRule rule = find_unwind_rule(at.pc, scratch);
        if (rule.kind() < StepKind::sp_keep || rule.kind() > StepKind::fp_save) break;
        const uint64_t cfa = cfa_by(rule);
        const UnwindRule way = find_way_out(at, stack);
        if (way.kind() != StepKind::none) {
            CHECK(cfa_by(way) == cfa);
            ++same;
        }
        const uint64_t fp =
            rule.keeps_frame_pointer()
                ? at.fp
                : StackReader::word(cfa + static_cast<uint64_t>(rule.save_offset()));
        at = {StackReader::word(cfa - 8), cfa, fp, false};
    }
    CHECK(frames > 5);
    CHECK(same * 2 > frames);
}
