// SPDX-License-Identifier: Apache-2.0
#include "preload/unwind/full_step.h"

#include <cstring>

namespace memtrace::preload {
namespace {

// The stack machine of DWARF expressions (DWARF 5, section 2.5), as far as call frame information
// uses it.
class Machine {
public:
    Machine(const Registers& registers, StackReader& stack)
        : registers_(registers), stack_reader_(stack) {}

    // Computes the value of the expression. `initial`, if given, is pushed first.
    bool run(const Expression& expression, const uint64_t* initial, uint64_t& result) {
        depth_ = 0;
        fault_ = FullStep::stepped;
        if (initial != nullptr) push(*initial);
        at_ = begin_ = expression.begin;
        end_ = at_ + expression.size;
        for (unsigned steps = 0; at_ < end_ && fault_ == FullStep::stepped; ++steps) {
            if (steps == steps_max) return fail();
            perform(*at_++);
        }
        if (depth_ == 0) fail();
        if (fault_ != FullStep::stepped) return false;
        result = values_[depth_ - 1];
        return true;
    }

    FullStep fault() const { return fault_; }

private:
    static constexpr unsigned depth_max = 24;
    static constexpr unsigned steps_max = 1000;

    bool fail(FullStep why = FullStep::failed) {
        if (fault_ == FullStep::stepped) fault_ = why;
        return false;
    }

    void push(uint64_t value) {
        if (depth_ == depth_max) fail();
        else values_[depth_++] = value;
    }
    uint64_t pop() {
        if (depth_ != 0) return values_[--depth_];
        fail();
        return 0;
    }
    uint64_t pick(unsigned from_top) {
        if (from_top < depth_) return values_[depth_ - 1 - from_top];
        fail();
        return 0;
    }

    template <class Number>
    Number operand() {
        Number value{};
        if (static_cast<size_t>(end_ - at_) < sizeof value) {
            fail();
            return value;
        }
        std::memcpy(&value, at_, sizeof value);
        at_ += sizeof value;
        return value;
    }
    template <class Number>
    void push_operand() {
        push(static_cast<uint64_t>(operand<Number>()));
    }
    uint64_t leb(bool is_signed) {
        uint64_t value = 0;
        unsigned shift = 0;
        uint8_t byte = 0;
        do {
            byte = operand<uint8_t>();
            if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
            shift += 7;
        } while ((byte & 0x80) != 0 && fault_ == FullStep::stepped);
        if (is_signed && shift < 64 && (byte & 0x40) != 0) value |= ~uint64_t{0} << shift;
        return value;
    }

    void push_register(uint64_t number, uint64_t offset) {
        if (number >= register_count || !registers_.has(static_cast<unsigned>(number))) {
            fail(number >= register_count ? FullStep::failed : FullStep::unknown);
            return;
        }
        push(registers_.value[number] + offset);
    }

    void push_memory(uint64_t address, unsigned bytes) {
        const uint64_t word = address & ~uint64_t{7};
        if (bytes > 8 || !stack_reader_.can_read(word) ||
            (address + bytes - 1 > word + 7 && !stack_reader_.can_read(word + 8))) {
            fail();
            return;
        }
        uint64_t value = 0;
        std::memcpy(&value, reinterpret_cast<const void*>(address), bytes);
        push(value);
    }

    void branch(int16_t distance) {
        at_ += distance;
        if (at_ < begin_ || at_ > end_) {
            fail();
            at_ = end_;
        }
    }

    void perform(uint8_t code) {
        if (code >= 0x30 && code <= 0x4f) return push(code - 0x30u);  // lit0 …
        if (code >= 0x70 && code <= 0x8f) return push_register(code - 0x70u, leb(true));  // breg0 …
        if (perform_constant(code) || perform_stack(code) || perform_binary(code)) return;
        switch (code) {
            case 0x06: push_memory(pop(), 8); break;  // deref
            case 0x94: {                              // deref_size
                const auto bytes = operand<uint8_t>();
                push_memory(pop(), bytes);
                break;
            }
            case 0x19: {  // abs
                const uint64_t value = pop();
                push(static_cast<int64_t>(value) < 0 ? 0 - value : value);
                break;
            }
            case 0x1f: push(0 - pop()); break;             // neg
            case 0x20: push(~pop()); break;                // not
            case 0x23: push(pop() + leb(false)); break;    // plus_uconst
            case 0x2f: branch(operand<int16_t>()); break;  // skip
            case 0x28: {                                   // bra
                const auto distance = operand<int16_t>();
                if (pop() != 0) branch(distance);
                break;
            }
            case 0x92: {  // bregx
                const uint64_t number = leb(false);
                push_register(number, leb(true));
                break;
            }
            case 0x96: break;  // nop
            default: fail();
        }
    }

    bool perform_constant(uint8_t code) {
        switch (code) {
            case 0x03: push_operand<uint64_t>(); break;  // addr
            case 0x08: push_operand<uint8_t>(); break;   // const1u …
            case 0x09: push_operand<int8_t>(); break;
            case 0x0a: push_operand<uint16_t>(); break;
            case 0x0b: push_operand<int16_t>(); break;
            case 0x0c: push_operand<uint32_t>(); break;
            case 0x0d: push_operand<int32_t>(); break;
            case 0x0e: push_operand<uint64_t>(); break;
            case 0x0f: push_operand<int64_t>(); break;
            case 0x10: push(leb(false)); break;
            case 0x11: push(leb(true)); break;
            default: return false;
        }
        return true;
    }

    bool perform_stack(uint8_t code) {
        switch (code) {
            case 0x12: push(pick(0)); break;                   // dup
            case 0x13: pop(); break;                           // drop
            case 0x14: push(pick(1)); break;                   // over
            case 0x15: push(pick(operand<uint8_t>())); break;  // pick
            case 0x16: {                                       // swap
                const uint64_t top = pop();
                const uint64_t below = pop();
                push(top);
                push(below);
                break;
            }
            case 0x17: {  // rot
                const uint64_t first = pop();
                const uint64_t second = pop();
                const uint64_t third = pop();
                push(first);
                push(third);
                push(second);
                break;
            }
            default: return false;
        }
        return true;
    }

    bool perform_binary(uint8_t code) {
        const bool is_binary = code == 0x1a || code == 0x1c || code == 0x1e || code == 0x21 ||
                               code == 0x22 || (code >= 0x24 && code <= 0x27) ||
                               (code >= 0x29 && code <= 0x2e);
        if (!is_binary) return false;
        const uint64_t b = pop();
        const uint64_t a = pop();
        const auto sa = static_cast<int64_t>(a);
        const auto sb = static_cast<int64_t>(b);
        switch (code) {
            case 0x1a: push(a & b); break;
            case 0x1c: push(a - b); break;
            case 0x1e: push(a * b); break;
            case 0x21: push(a | b); break;
            case 0x22: push(a + b); break;
            case 0x24: push(b < 64 ? a << b : 0); break;
            case 0x25: push(b < 64 ? a >> b : 0); break;
            case 0x26: push(static_cast<uint64_t>(sa >> (b < 64 ? b : 63))); break;
            case 0x27: push(a ^ b); break;
            case 0x29: push(a == b); break;
            case 0x2a: push(sa >= sb); break;
            case 0x2b: push(sa > sb); break;
            case 0x2c: push(sa <= sb); break;
            case 0x2d: push(sa < sb); break;
            case 0x2e: push(a != b); break;
            default: break;
        }
        return true;
    }

    const Registers& registers_;
    StackReader& stack_reader_;
    const uint8_t* begin_ = nullptr;
    const uint8_t* at_ = nullptr;
    const uint8_t* end_ = nullptr;
    uint64_t values_[depth_max] = {};
    unsigned depth_ = 0;
    FullStep fault_ = FullStep::stepped;
};

FullStep read_word(uint64_t address, StackReader& stack, uint64_t& value) {
    if (!stack.can_read(address)) return FullStep::failed;
    value = StackReader::word(address);
    return FullStep::stepped;
}

FullStep find_cfa(const UnwindRow& row, const Registers& registers, StackReader& stack,
                  uint64_t& cfa) {
    if (row.cfa_expression.size != 0) {
        Machine machine(registers, stack);
        return machine.run(row.cfa_expression, nullptr, cfa) ? FullStep::stepped : machine.fault();
    }
    if (row.cfa_register >= register_count) return FullStep::failed;
    if (!registers.has(row.cfa_register)) return FullStep::unknown;
    cfa = registers.value[row.cfa_register] + static_cast<uint64_t>(row.cfa_offset);
    return FullStep::stepped;
}

// Finds the caller's value of one register. Returns `stepped` without a value if the value is lost.
FullStep find_register(const RegisterRule& rule, unsigned number, uint64_t cfa,
                       const Registers& registers, StackReader& stack, Registers& out) {
    uint64_t value = 0;
    switch (rule.kind) {
        case RegisterRule::same:
            if (registers.has(number)) out.set(number, registers.value[number]);
            return FullStep::stepped;
        case RegisterRule::undefined: return FullStep::stepped;
        case RegisterRule::at_offset: {
            const FullStep read = read_word(cfa + static_cast<uint64_t>(rule.offset), stack, value);
            if (read != FullStep::stepped) return read;
            break;
        }
        case RegisterRule::is_offset: value = cfa + static_cast<uint64_t>(rule.offset); break;
        case RegisterRule::in_register: {
            const auto source = static_cast<unsigned>(rule.offset);
            if (source >= register_count) return FullStep::failed;
            if (!registers.has(source)) return FullStep::stepped;
            value = registers.value[source];
            break;
        }
        case RegisterRule::at_expression:
        case RegisterRule::is_expression: {
            Machine machine(registers, stack);
            if (!machine.run(rule.expression, &cfa, value)) return machine.fault();
            if (rule.kind == RegisterRule::at_expression) {
                const FullStep read = read_word(value, stack, value);
                if (read != FullStep::stepped) return read;
            }
            break;
        }
    }
    out.set(number, value);
    return FullStep::stepped;
}

Registers registers_of(const Position& position) {
    Registers registers;
    registers.set(register_return, position.pc);
    registers.set(register_rsp, position.sp);
    registers.set(register_rbp, position.fp);
    return registers;
}

// Walks from here to `target`, which must be an outer frame because this function was called from
// it.
__attribute__((noinline)) bool find_all_registers(const Position& target, StackReader& stack,
                                                  TableScratch& scratch, Registers& registers) {
    uint64_t* const v = registers.value;
    asm volatile(
        "lea 0(%%rip), %%rax\n\t"
        "mov %%rax, 16*8(%0)\n\t"
        "mov %%rbx, 3*8(%0)\n\t"
        "mov %%rbp, 6*8(%0)\n\t"
        "mov %%rsp, 7*8(%0)\n\t"
        "mov %%r12, 12*8(%0)\n\t"
        "mov %%r13, 13*8(%0)\n\t"
        "mov %%r14, 14*8(%0)\n\t"
        "mov %%r15, 15*8(%0)\n\t"
        :
        : "r"(v)
        : "rax", "memory");
    registers.known = 1u << 16 | 1u << 3 | 1u << 6 | 1u << 7 | 0xfu << 12;
    Position position{v[register_return], v[register_rsp], v[register_rbp], true};
    constexpr unsigned steps_max = 8192;
    for (unsigned steps = 0; steps < steps_max; ++steps) {
        if (position.sp == target.sp && position.pc == target.pc) return true;
        if (step_fully(position, registers, stack, scratch) != FullStep::stepped) return false;
    }
    return false;
}

}  // namespace

FullStep step_fully(Position& position, Registers& registers, StackReader& stack,
                    TableScratch& scratch) {
    UnwindRow& row = scratch.row;
    const RowSearch search = find_unwind_row(position.lookup(), row, scratch.workspace);
    if (search == RowSearch::no_data) return FullStep::no_data;
    if (search == RowSearch::not_understood) return FullStep::failed;
    if (row.registers[register_return].kind == RegisterRule::undefined) return FullStep::end;
    uint64_t cfa = 0;
    const FullStep found = find_cfa(row, registers, stack, cfa);
    if (found != FullStep::stepped) return found;
    Registers caller;
    for (unsigned number = 0; number < register_count; ++number) {
        const FullStep step =
            find_register(row.registers[number], number, cfa, registers, stack, caller);
        if (step != FullStep::stepped) return step;
    }
    if (row.registers[register_rsp].kind == RegisterRule::same) caller.set(register_rsp, cfa);
    if (!caller.has(register_return) || !caller.has(register_rsp)) return FullStep::unknown;
    if (!caller.has(register_rbp)) caller.set(register_rbp, 0);
    registers = caller;
    position = {caller.value[register_return], caller.value[register_rsp],
                caller.value[register_rbp], row.is_signal_frame};
    return FullStep::stepped;
}

FullStep step_fully(Position& position, StackReader& stack, TableScratch& scratch) {
    Registers registers = registers_of(position);
    const Position start = position;
    const FullStep step = step_fully(position, registers, stack, scratch);
    if (step != FullStep::unknown) return step;
    position = start;
    registers = {};
    // From here on, the walk begins deeper than the stack that is being walked.
    if (!find_all_registers(start, stack, scratch, registers)) return FullStep::failed;
    return step_fully(position, registers, stack, scratch);
}

}  // namespace memtrace::preload
