// SPDX-License-Identifier: Apache-2.0
#include "preload/unwind/instruction.h"

#include <cstring>

namespace memtrace::preload {
namespace {

constexpr uint8_t number_of_rsp = 4;
constexpr uint8_t number_of_rbp = 5;

// What follows an opcode, besides prefixes.
enum Form : uint8_t {
    bad = 0,
    plain = 1,
    modrm = 2,     // a ModRM byte, with what it asks for
    imm8 = 4,      // one byte
    imm16 = 8,     // two bytes
    imm_z = 16,    // four bytes; two with the prefix 66
    imm_wide = 32  // as imm_z; eight bytes with REX.W
};

template <class... Opcodes>
constexpr bool is_one_of(uint8_t op, Opcodes... opcodes) {
    return ((op == opcodes) || ...);
}

constexpr bool is_between(uint8_t op, uint8_t first, uint8_t last) {
    return op >= first && op <= last;
}

constexpr uint8_t form_of_one_byte(uint8_t op) {
    if (op < 0x40) {
        constexpr uint8_t forms[] = {modrm, modrm, modrm, modrm, imm8, imm_z, bad, bad};
        return forms[op & 7];
    }
    if (is_between(op, 0x40, 0x4f) || is_between(op, 0x64, 0x67)) return bad;  // prefixes
    if (is_one_of(op, 0xf0, 0xf2, 0xf3)) return bad;
    if (is_one_of(op, 0x60, 0x61, 0x82, 0x9a, 0xce, 0xd4, 0xd5, 0xd6, 0xea)) return bad;
    if (is_one_of(op, 0x68, 0xa9, 0xe8, 0xe9)) return imm_z;
    if (is_one_of(op, 0x69, 0x81, 0xc7)) return modrm | imm_z;
    if (is_one_of(op, 0x6a, 0xa8, 0xcd, 0xeb)) return imm8;
    if (is_one_of(op, 0x6b, 0x80, 0x83, 0xc0, 0xc1, 0xc6)) return modrm | imm8;
    if (is_one_of(op, 0x63, 0xfe, 0xff, 0xf6, 0xf7)) return modrm;
    if (is_one_of(op, 0xc2, 0xca)) return imm16;
    if (op == 0xc8) return imm16 | imm8;
    if (is_between(op, 0x70, 0x7f) || is_between(op, 0xb0, 0xb7)) return imm8;
    if (is_between(op, 0xe0, 0xe7)) return imm8;
    if (is_between(op, 0xb8, 0xbf)) return imm_wide;
    if (is_between(op, 0x84, 0x8f) || is_between(op, 0xd0, 0xd3)) return modrm;
    return is_between(op, 0xd8, 0xdf) ? modrm : plain;
}

// The map of opcodes behind 0f.
constexpr uint8_t form_of_two_bytes(uint8_t op) {
    if (is_one_of(op, 0x04, 0x0a, 0x0c, 0x0e, 0x0f)) return bad;
    if (is_between(op, 0x05, 0x0b) || is_one_of(op, 0x77, 0xa0, 0xa1, 0xa2)) return plain;
    if (is_between(op, 0x30, 0x37) || is_between(op, 0xa8, 0xaa)) return plain;
    if (is_between(op, 0xc8, 0xcf)) return plain;
    if (is_one_of(op, 0xa4, 0xac, 0xba, 0xc2, 0xc4, 0xc5, 0xc6)) return modrm | imm8;
    if (is_between(op, 0x70, 0x73)) return modrm | imm8;
    return is_between(op, 0x80, 0x8f) ? imm_z : modrm;
}

enum class Map : uint8_t { one_byte, two_bytes, map_38, map_3a };

class Decoder {
public:
    explicit Decoder(const uint8_t* code) : begin_(code), at_(code) {}

    Instruction decode() {
        Instruction result;
        read_prefixes();
        read_opcode();
        uint8_t form = form_of_opcode();
        if (form == bad) return result;
        if ((form & modrm) != 0) read_modrm();
        // Only two of the eight operations of f6 and f7 have a number.
        if (map_ == Map::one_byte && (op_ == 0xf6 || op_ == 0xf7) && (reg() & 7) < 2) {
            form |= op_ == 0xf6 ? imm8 : imm_z;
        }
        read_number(form);
        if (at_ - begin_ > static_cast<int>(instruction_bytes_max)) return result;
        result.length = static_cast<uint8_t>(at_ - begin_);
        set_effect(result);
        return result;
    }

private:
    uint8_t next() { return *at_++; }
    template <class Number>
    int64_t take() {
        Number number{};
        std::memcpy(&number, at_, sizeof number);
        at_ += sizeof number;
        return number;
    }

    void read_prefixes() {
        for (int i = 0; i < 12; ++i) {
            switch (*at_) {
                case 0x66: is_short_ = true; break;
                case 0x67: has_short_addresses_ = true; break;
                case 0xf0:
                case 0xf2:
                case 0xf3:
                case 0x2e:
                case 0x36:
                case 0x3e:
                case 0x26:
                case 0x64:
                case 0x65: break;
                default:
                    if ((*at_ & 0xf0) == 0x40) rex_ = next();
                    return;
            }
            ++at_;
        }
    }

    void read_opcode() {
        op_ = next();
        if (op_ == 0x0f) {
            map_ = Map::two_bytes;
            op_ = next();
            if (op_ != 0x38 && op_ != 0x3a) return;
            map_ = op_ == 0x38 ? Map::map_38 : Map::map_3a;
            op_ = next();
        } else if (op_ == 0xc5) {
            read_vector_prefix(1, 1);
        } else if (op_ == 0xc4) {
            read_vector_prefix(2, *at_ & 0x1f);
        } else if (op_ == 0x62) {
            read_vector_prefix(3, *at_ & 0x07);
        } else if (op_ == 0x8f && (*at_ & 0x1f) >= 8) {
            read_vector_prefix(2, (*at_ & 0x1f) == 8 ? 3 : 2);
        }
    }

    // VEX of two or three bytes, EVEX, and AMD's XOP.
    void read_vector_prefix(int bytes, uint8_t map) {
        is_vector_ = true;
        at_ += bytes;
        op_ = next();
        map_ = map == 1 ? Map::two_bytes : map == 3 ? Map::map_3a : Map::map_38;
    }

    uint8_t form_of_opcode() const {
        if (map_ == Map::map_38) return modrm;
        if (map_ == Map::map_3a) return modrm | imm8;
        if (map_ == Map::one_byte) return form_of_one_byte(op_);
        const uint8_t form = form_of_two_bytes(op_);
        // The other map has no vector instruction without ModRM but this one.
        if (is_vector_ && op_ != 0x77) return static_cast<uint8_t>((form & imm8) | modrm);
        return form;
    }

    void read_modrm() {
        modrm_ = next();
        if (mod() == 3) return;
        if (rm() == 4) sib_ = next();
        const bool has_no_base = mod() == 0 && (rm() == 5 || (rm() == 4 && (sib_ & 7) == 5));
        if (mod() == 1) displacement_ = take<int8_t>();
        else if (mod() == 2 || has_no_base) displacement_ = take<int32_t>();
    }

    void read_number(uint8_t form) {
        const bool is_address = map_ == Map::one_byte && op_ >= 0xa0 && op_ <= 0xa3;
        if (is_address) at_ += has_short_addresses_ ? 4 : 8;
        if ((form & imm16) != 0) number_ = take<uint16_t>();
        if ((form & imm8) != 0) number_ = take<int8_t>();
        if ((form & imm_wide) != 0 && is_wide()) {
            number_ = take<int64_t>();
        } else if ((form & (imm_z | imm_wide)) != 0) {
            // Calls, jumps and branches have four bytes in any case.
            const bool is_flow =
                (map_ == Map::one_byte && (op_ == 0xe8 || op_ == 0xe9)) || map_ == Map::two_bytes;
            number_ = is_short_ && !is_flow ? take<int16_t>() : take<int32_t>();
        }
    }

    uint8_t mod() const { return modrm_ >> 6; }
    uint8_t rm() const { return modrm_ & 7; }
    // The registers that ModRM names, with their fourth bits of REX.
    uint8_t reg() const { return static_cast<uint8_t>((modrm_ >> 3 & 7) | (rex_ & 4) << 1); }
    uint8_t rm_register() const { return static_cast<uint8_t>(rm() | (rex_ & 1) << 3); }
    bool is_wide() const { return (rex_ & 8) != 0; }

    // True if memory is addressed by this register and a displacement only.
    bool has_base(uint8_t base) const {
        if (mod() == 3 || (rex_ & 3) != 0 || rm() != base) return false;
        if (base == number_of_rsp) return sib_ == 0x24;  // rsp needs a SIB byte, here without index
        return mod() != 0;                               // without a displacement it is rip
    }

    void set_effect(Instruction& result) const {
        result.effect = Effect::none;
        if (is_vector_ || map_ == Map::map_38 || map_ == Map::map_3a) return;
        if (map_ == Map::two_bytes) {
            if (op_ == 0x0b) result.effect = Effect::stop;
            if (op_ >= 0x80 && op_ <= 0x8f) set_target(result, Effect::branch);
            return;
        }
        set_effect_of_one_byte(result);
    }

    void set_target(Instruction& result, Effect effect) const {
        result.effect = effect;
        result.target = at_ + number_;
    }

    static void set(Instruction& result, Effect effect, int64_t number = 0) {
        result.effect = effect;
        result.number = number;
    }

    void set_effect_of_one_byte(Instruction& result) const {
        const uint8_t operation = reg() & 7;  // of opcodes that have several
        if (is_between(op_, 0x50, 0x57)) return set(result, Effect::push);
        if (is_between(op_, 0x58, 0x5f)) return set_pop(result);
        if (is_between(op_, 0x70, 0x7f) || is_between(op_, 0xe0, 0xe3)) {
            return set_target(result, Effect::branch);
        }
        if (is_one_of(op_, 0xe9, 0xeb)) return set_target(result, Effect::jump);
        if (is_one_of(op_, 0x68, 0x6a, 0x9c)) return set(result, Effect::push);
        if (op_ == 0x9d) return set(result, Effect::pop);
        if (op_ == 0xc9) return set(result, Effect::leave);
        if (is_one_of(op_, 0xc2, 0xc3)) return set(result, Effect::ret);
        if (is_one_of(op_, 0xcc, 0xf4)) return set(result, Effect::stop);
        if (is_one_of(op_, 0x8f, 0xc8, 0xca, 0xcb, 0xcf)) return set(result, Effect::unknown);
        if (op_ == 0xff && operation == 4) return set(result, Effect::indirect_jump);
        if (op_ == 0xff && operation == 6) return set(result, Effect::push);
        if (is_one_of(op_, 0x81, 0x83)) return set_sum(result);
        if (op_ == 0x8d) return set_address(result);
        if (is_one_of(op_, 0x89, 0x8b)) return set_move(result);
        if (writes_sp()) result.effect = Effect::unknown;
    }

    // True if one of the other operations has rsp as its result.
    bool writes_sp() const {
        const bool is_rm = mod() == 3 && rm_register() == number_of_rsp;
        const bool is_reg = reg() == number_of_rsp;
        if (op_ == 0x87) return is_rm || is_reg;  // xchg
        const bool is_sum = op_ < 0x40;           // add, or, adc, sbb, and, sub, xor, cmp
        const bool is_cmp = op_ >= 0x38;
        if (is_sum && !is_cmp && (op_ & 7) == 1) return is_rm;
        return ((is_sum && !is_cmp && (op_ & 7) == 3) || op_ == 0x63) && is_reg;
    }

    void set_pop(Instruction& result) const {
        const auto number = static_cast<uint8_t>((op_ & 7) | (rex_ & 1) << 3);
        if (number == number_of_rsp) return set(result, Effect::unknown);
        set(result, number == number_of_rbp ? Effect::pop_fp : Effect::pop);
    }

    // add, sub, cmp and others with a number.
    void set_sum(Instruction& result) const {
        if (mod() != 3 || rm_register() != number_of_rsp) return;
        switch (reg() & 7) {
            case 0: return set(result, Effect::add_sp, number_);
            case 5: return set(result, Effect::add_sp, -number_);
            case 7: return;
            default: return set(result, Effect::unknown);
        }
    }

    void set_address(Instruction& result) const {
        if (reg() != number_of_rsp) return;
        if (has_base(number_of_rsp)) set(result, Effect::add_sp, displacement_);
        else if (has_base(number_of_rbp)) set(result, Effect::sp_from_fp, displacement_);
        else set(result, Effect::unknown);
    }

    void set_move(Instruction& result) const {
        const bool is_load = op_ == 0x8b;
        const uint8_t to = is_load ? reg() : rm_register();
        const uint8_t from = is_load ? rm_register() : reg();
        if (mod() != 3) {
            if (is_load && to == number_of_rsp) return set(result, Effect::unknown);
            if (is_load && to == number_of_rbp && has_base(number_of_rsp) && is_wide()) {
                set(result, Effect::load_fp, displacement_);
            }
            return;
        }
        if (to != number_of_rsp) return;
        if (from == number_of_rbp) set(result, Effect::sp_from_fp);
        else set(result, Effect::unknown);
    }

    const uint8_t* begin_;
    const uint8_t* at_;
    bool is_short_ = false;  // prefix 66
    bool has_short_addresses_ = false;
    bool is_vector_ = false;
    uint8_t rex_ = 0;
    Map map_ = Map::one_byte;
    uint8_t op_ = 0;
    uint8_t modrm_ = 0;
    uint8_t sib_ = 0;
    int64_t displacement_ = 0;
    int64_t number_ = 0;
};

}  // namespace

Instruction decode(const uint8_t* code) { return Decoder(code).decode(); }

}  // namespace memtrace::preload
