// SPDX-License-Identifier: Apache-2.0
#include "preload/unwind/unwind_rule.h"

#include <vector>

#include "tests/unit/test.h"

using namespace memtrace::preload;

namespace {

using Bytes = std::vector<uint8_t>;

Expression expression_of(const Bytes& bytes) {
    return {bytes.data(), static_cast<uint32_t>(bytes.size())};
}

RegisterRule saved_at(int64_t offset) { return {RegisterRule::at_offset, offset, {}}; }

// A row as every function has it, with the return address below the CFA.
UnwindRow row_with(uint8_t cfa_register, int64_t cfa_offset) {
    UnwindRow row;
    row.cfa_register = cfa_register;
    row.cfa_offset = cfa_offset;
    row.registers[register_return] = saved_at(-8);
    return row;
}

// The same, with the CFA from an expression.
UnwindRow row_with(const Bytes& cfa) {
    UnwindRow row = row_with(0, 0);
    row.cfa_expression = expression_of(cfa);
    return row;
}

// CFA = *(rbp - 40), and rbp from an expression: a frame with a realigned stack.
UnwindRow realigned_row(const Bytes& cfa, const Bytes& frame_pointer) {
    UnwindRow row = row_with(cfa);
    row.registers[register_rbp] = {RegisterRule::at_expression, 0, expression_of(frame_pointer)};
    return row;
}

UnwindRule rule(StepKind kind, int32_t cfa_offset, int16_t save_offset = 0) {
    return UnwindRule(kind, cfa_offset, save_offset);
}

bool is_full(const UnwindRow& row) { return reduce(row) == rule(StepKind::full, 0); }

const Bytes rbp_less_40_read = {0x76, 0x58, 0x06};
const Bytes at_rbp = {0x76, 0};

}  // namespace

TEST_CASE("a CFA from rsp or rbp, with rbp kept or saved, is one of four kinds", "[unwind_rule]") {
    UnwindRow row = row_with(register_rsp, 24);
    CHECK(reduce(row) == rule(StepKind::sp_keep, 24));
    row.registers[register_rbp] = saved_at(-16);
    CHECK(reduce(row) == rule(StepKind::sp_save, 24, -16));
    row = row_with(register_rbp, 16);
    CHECK(reduce(row) == rule(StepKind::fp_keep, 16));
    row.registers[register_rbp] = saved_at(-16);
    CHECK(reduce(row) == rule(StepKind::fp_save, 16, -16));
}

TEST_CASE("other registers that are saved do not matter to a step", "[unwind_rule]") {
    UnwindRow row = row_with(register_rsp, 24);
    row.registers[register_rbx] = saved_at(-16);
    row.registers[register_r12] = {RegisterRule::undefined, 0, {}};
    CHECK(reduce(row) == rule(StepKind::sp_keep, 24));
}

TEST_CASE("a realigned stack is found through what rbp points at", "[unwind_rule]") {
    CHECK(reduce(realigned_row(rbp_less_40_read, at_rbp)) == rule(StepKind::indirect, -40, 0));
    const Bytes below = {0x76, 0x70};
    CHECK(reduce(realigned_row(rbp_less_40_read, below)) == rule(StepKind::indirect, -40, -16));
    const Bytes far = {0x76, 0x80, 0x7d, 0x06};  // -384, in two bytes
    CHECK(reduce(realigned_row(far, at_rbp)) == rule(StepKind::indirect, -384, 0));
}

TEST_CASE("the first function of a thread is the end", "[unwind_rule]") {
    UnwindRow row = row_with(register_rsp, 8);
    row.registers[register_return] = {RegisterRule::undefined, 0, {}};
    CHECK(reduce(row) == rule(StepKind::end, 0));
}

TEST_CASE("an expression that is a sum is as good as a register and an offset", "[unwind_rule]") {
    const Bytes from_sp = {0x77, 24};
    const Bytes from_fp = {0x76, 0x80, 1};
    CHECK(reduce(row_with(from_sp)) == rule(StepKind::sp_keep, 24));
    CHECK(reduce(row_with(from_fp)) == rule(StepKind::fp_keep, 128));
}

TEST_CASE("a CFA that is found in another way stays a full step", "[unwind_rule]") {
    CHECK(is_full(row_with(register_rbx, 16)));
    CHECK(is_full(row_with(10, 0)));
    const Bytes others[] = {
        {0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22},  // an entry of a PLT
        {0x77, 8, 0x06},                                               // *(rsp + 8)
        {0x73, 8},                                                     // rbx + 8
        {0x76, 0x58, 0x06, 0x06},                                      // read twice
        {0x76, 0x58, 0x06, 0x23, 8},                                   // read, then added to
        {0x76},                                                        // the number is missing
        {0x76, 0x80},                                                  // its end is missing
        {0x33},                                                        // no register at all
    };
    for (const Bytes& other : others) {
        INFO("operation " << static_cast<int>(other[0]) << ", " << other.size() << " bytes");
        CHECK(is_full(row_with(other)));
        CHECK(is_full(realigned_row(other, at_rbp)));
    }
}

TEST_CASE("an rbp that is found in another way stays a full step", "[unwind_rule]") {
    for (const uint8_t base : {uint8_t{register_rsp}, uint8_t{register_rbp}}) {
        UnwindRow row = row_with(base, 16);
        row.registers[register_rbp] = {RegisterRule::undefined, 0, {}};
        CHECK(is_full(row));
        row.registers[register_rbp] = {RegisterRule::in_register, 9, {}};
        CHECK(is_full(row));
        row.registers[register_rbp] = {RegisterRule::is_offset, -16, {}};
        CHECK(is_full(row));
        row.registers[register_rbp] = {RegisterRule::at_expression, 0, expression_of(at_rbp)};
        CHECK(is_full(row));
    }
    UnwindRow row = row_with(rbp_less_40_read);
    CHECK(is_full(row));  // kept
    row.registers[register_rbp] = saved_at(-16);
    CHECK(is_full(row));
    const Bytes through_rsp = {0x77, 0};
    CHECK(is_full(realigned_row(rbp_less_40_read, through_rsp)));
    CHECK(is_full(realigned_row(rbp_less_40_read, rbp_less_40_read)));
    row = realigned_row(rbp_less_40_read, at_rbp);
    row.registers[register_rbp].kind = RegisterRule::is_expression;
    CHECK(is_full(row));
}

TEST_CASE("a return address that is not right below the CFA stays a full step", "[unwind_rule]") {
    UnwindRow row = row_with(register_rsp, 8);
    row.registers[register_return] = saved_at(-16);
    CHECK(is_full(row));
    row.registers[register_return] = {RegisterRule::in_register, 5, {}};  // vfork keeps it there
    CHECK(is_full(row));
    row.registers[register_return] = {};
    CHECK(is_full(row));
}

TEST_CASE("signal frames, and rows with a rule of their own for rsp, stay full steps",
          "[unwind_rule]") {
    UnwindRow row = row_with(register_rsp, 8);
    row.is_signal_frame = true;
    CHECK(is_full(row));
    row = row_with(register_rsp, 8);
    row.registers[register_rsp] = saved_at(-24);
    CHECK(is_full(row));
}

TEST_CASE("numbers that do not fit stay full steps", "[unwind_rule]") {
    CHECK(reduce(row_with(register_rsp, INT32_MAX)) == rule(StepKind::sp_keep, INT32_MAX));
    CHECK(reduce(row_with(register_rsp, INT32_MIN)) == rule(StepKind::sp_keep, INT32_MIN));
    CHECK(is_full(row_with(register_rsp, int64_t{INT32_MAX} + 1)));
    CHECK(is_full(row_with(register_rbp, int64_t{INT32_MIN} - 1)));
    UnwindRow row = row_with(register_rsp, 0x10000);
    row.registers[register_rbp] = saved_at(INT16_MIN);
    CHECK(reduce(row) == rule(StepKind::sp_save, 0x10000, INT16_MIN));
    row.registers[register_rbp] = saved_at(INT16_MIN - 1);
    CHECK(is_full(row));
    const Bytes far = {0x76, 0x80, 0x80, 2};  // rbp + 32768
    CHECK(is_full(realigned_row(rbp_less_40_read, far)));
    const Bytes endless = {0x77, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0};
    CHECK(is_full(row_with(endless)));
}

TEST_CASE("a rule says whether it needs rbp, and whether it passes it on", "[unwind_rule]") {
    const auto reads = [](StepKind kind) { return rule(kind, 0).reads_frame_pointer(); };
    const auto keeps = [](StepKind kind) { return rule(kind, 0).keeps_frame_pointer(); };
    CHECK_FALSE(reads(StepKind::sp_keep));
    CHECK_FALSE(reads(StepKind::sp_save));
    CHECK(reads(StepKind::fp_keep));
    CHECK(reads(StepKind::fp_save));
    CHECK(reads(StepKind::indirect));
    CHECK(keeps(StepKind::sp_keep));
    CHECK(keeps(StepKind::fp_keep));
    CHECK_FALSE(keeps(StepKind::sp_save));
    CHECK_FALSE(keeps(StepKind::fp_save));
    CHECK_FALSE(keeps(StepKind::indirect));
}
