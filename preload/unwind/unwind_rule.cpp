// SPDX-License-Identifier: Apache-2.0
#include "preload/unwind/unwind_rule.h"

#include <limits>

namespace memtrace::preload {
namespace {

constexpr uint8_t op_dereference = 0x06;
constexpr uint8_t op_base_register_0 = 0x70;  // DW_OP_breg0: register 0 plus a number

template <class Small>
bool fits(int64_t number) {
    return number >= std::numeric_limits<Small>::min() &&
           number <= std::numeric_limits<Small>::max();
}

// The expression "register + number", optionally followed by a read, and nothing after it. The
// number has at most five bytes.
struct RegisterSum {
    bool is_sum = false;
    bool is_read = false;
    uint8_t number = 0;
    int64_t offset = 0;
};

RegisterSum parse_sum(const Expression& expression) {
    RegisterSum sum;
    const uint8_t* at = expression.begin;
    const uint8_t* end = at + expression.size;
    if (expression.size < 2) return sum;
    if (*at < op_base_register_0 || *at > op_base_register_0 + 15) return sum;
    sum.number = static_cast<uint8_t>(*at++ - op_base_register_0);
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte = 0;
    do {
        if (at == end || shift > 28) return sum;
        byte = *at++;
        value |= static_cast<uint64_t>(byte & 0x7f) << shift;
        shift += 7;
    } while ((byte & 0x80) != 0);
    if ((byte & 0x40) != 0) value |= ~uint64_t{0} << shift;
    sum.offset = static_cast<int64_t>(value);
    sum.is_read = at + 1 == end && *at == op_dereference;
    sum.is_sum = at == end || sum.is_read;
    return sum;
}

constexpr UnwindRule full{StepKind::full};

// Returns the rule for the caller's rbp, given how the CFA is found. The rbp is kept, or saved at
// CFA + k.
UnwindRule with_frame_pointer(const UnwindRow& row, int64_t cfa_offset, StepKind keep,
                              StepKind save) {
    const RegisterRule& saved = row.registers[register_rbp];
    if (!fits<int32_t>(cfa_offset)) return full;
    if (saved.kind == RegisterRule::same) {
        return UnwindRule(keep, static_cast<int32_t>(cfa_offset));
    }
    if (saved.kind != RegisterRule::at_offset || !fits<int16_t>(saved.offset)) return full;
    return UnwindRule(save, static_cast<int32_t>(cfa_offset), static_cast<int16_t>(saved.offset));
}

// A function that realigns its stack keeps the way back in its frame.
UnwindRule indirect_rule(const UnwindRow& row, const RegisterSum& cfa) {
    const RegisterRule& saved = row.registers[register_rbp];
    if (saved.kind != RegisterRule::at_expression) return full;
    const RegisterSum place = parse_sum(saved.expression);
    if (!place.is_sum || place.is_read || place.number != register_rbp) return full;
    if (!fits<int32_t>(cfa.offset) || !fits<int16_t>(place.offset)) return full;
    return UnwindRule(StepKind::indirect, static_cast<int32_t>(cfa.offset),
                      static_cast<int16_t>(place.offset));
}

}  // namespace

UnwindRule reduce(const UnwindRow& row) {
    const RegisterRule& caller = row.registers[register_return];
    if (caller.kind == RegisterRule::undefined) return UnwindRule(StepKind::end);
    if (row.is_signal_frame || caller.kind != RegisterRule::at_offset || caller.offset != -8 ||
        row.registers[register_rsp].kind != RegisterRule::same) {
        return full;
    }
    uint8_t number = row.cfa_register;
    int64_t offset = row.cfa_offset;
    if (row.cfa_expression.size != 0) {
        const RegisterSum sum = parse_sum(row.cfa_expression);
        if (!sum.is_sum) return full;
        if (sum.is_read) return sum.number == register_rbp ? indirect_rule(row, sum) : full;
        number = sum.number;
        offset = sum.offset;
    }
    if (number == register_rsp) {
        return with_frame_pointer(row, offset, StepKind::sp_keep, StepKind::sp_save);
    }
    if (number == register_rbp) {
        return with_frame_pointer(row, offset, StepKind::fp_keep, StepKind::fp_save);
    }
    return full;
}

}  // namespace memtrace::preload
