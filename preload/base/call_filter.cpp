// SPDX-License-Identifier: Apache-2.0
#include "preload/base/call_filter.h"

#include <cstring>

namespace memtrace::preload {
namespace {

struct Machine {
    uint32_t a = 0;  // the accumulator
    uint32_t x = 0;  // the index register
    uint32_t scratch[BPF_MEMWORDS] = {};
};

// Returns false for an operation that no filter may have.
bool calculate(uint16_t code, uint32_t operand, uint32_t& a) {
    switch (BPF_OP(code)) {
        case BPF_ADD: a += operand; return true;
        case BPF_SUB: a -= operand; return true;
        case BPF_MUL: a *= operand; return true;
        case BPF_DIV: a = operand == 0 ? 0 : a / operand; return operand != 0;
        case BPF_AND: a &= operand; return true;
        case BPF_OR: a |= operand; return true;
        case BPF_XOR: a ^= operand; return true;
        case BPF_LSH: a = operand < 32 ? a << operand : 0; return true;
        case BPF_RSH: a = operand < 32 ? a >> operand : 0; return true;
        case BPF_NEG: a = 0 - a; return true;
        default: return false;
    }
}

bool compare(uint16_t code, uint32_t operand, uint32_t a) {
    switch (BPF_OP(code)) {
        case BPF_JEQ: return a == operand;
        case BPF_JGT: return a > operand;
        case BPF_JGE: return a >= operand;
        case BPF_JSET: return (a & operand) != 0;
        default: return false;
    }
}

// Reads a word of the description of the call. Returns false if there is none at this offset.
bool load(uint32_t offset, const seccomp_data& call, uint32_t& value) {
    if (offset % 4 != 0 || offset > sizeof call - 4) return false;
    std::memcpy(&value, reinterpret_cast<const char*>(&call) + offset, 4);
    return true;
}

// Carries out a load into A or X. Returns false if it is not valid.
bool load_register(const sock_filter& step, const seccomp_data& call, Machine& machine) {
    uint32_t& target = BPF_CLASS(step.code) == BPF_LD ? machine.a : machine.x;
    switch (BPF_MODE(step.code)) {
        case BPF_ABS: return load(step.k, call, target);
        case BPF_IMM: target = step.k; return true;
        case BPF_LEN: target = sizeof call; return true;
        case BPF_MEM:
            if (step.k >= BPF_MEMWORDS) return false;
            target = machine.scratch[step.k];
            return true;
        default: return false;
    }
}

}  // namespace

uint32_t answer_of_filter(const sock_filter* program, size_t length, const seccomp_data& call) {
    constexpr uint32_t invalid = SECCOMP_RET_KILL_PROCESS;
    Machine machine;
    for (size_t at = 0; at < length; ++at) {
        const sock_filter& step = program[at];
        const uint32_t operand = BPF_SRC(step.code) == BPF_X ? machine.x : step.k;
        switch (BPF_CLASS(step.code)) {
            case BPF_RET: return BPF_RVAL(step.code) == BPF_A ? machine.a : step.k;
            case BPF_LD:
            case BPF_LDX:
                if (!load_register(step, call, machine)) return invalid;
                break;
            case BPF_ST:
            case BPF_STX:
                if (step.k >= BPF_MEMWORDS) return invalid;
                machine.scratch[step.k] = BPF_CLASS(step.code) == BPF_ST ? machine.a : machine.x;
                break;
            case BPF_ALU:
                if (!calculate(step.code, operand, machine.a)) return invalid;
                break;
            case BPF_JMP:
                // Jumps go forward only, so every program ends.
                if (BPF_OP(step.code) == BPF_JA) at += step.k;
                else at += compare(step.code, operand, machine.a) ? step.jt : step.jf;
                break;
            case BPF_MISC:
                if (BPF_MISCOP(step.code) == BPF_TAX) machine.x = machine.a;
                else machine.a = machine.x;
                break;
            default: return invalid;
        }
    }
    return invalid;
}

bool lets_go_on(uint32_t answer) {
    switch (answer & SECCOMP_RET_ACTION_FULL) {
        case SECCOMP_RET_ALLOW:
        case SECCOMP_RET_LOG:
        case SECCOMP_RET_ERRNO: return true;
        default: return false;
    }
}

}  // namespace memtrace::preload
