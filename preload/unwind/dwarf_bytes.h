// SPDX-License-Identifier: Apache-2.0
//
// Reads the numbers and expressions that unwind tables consist of.
#pragma once

#include <cstdint>
#include <cstring>

namespace memtrace::preload {

// Pointer encodings (DW_EH_PE_*): the width of the number, and what it is relative to.
inline constexpr uint8_t encoding_omit = 0xff;
inline constexpr uint8_t encoding_width = 0x0f;
inline constexpr uint8_t encoding_base = 0x70;
inline constexpr uint8_t encoding_indirect = 0x80;
inline constexpr uint8_t base_pc = 0x10, base_data = 0x30;

// The bytes of a DWARF expression.
struct Expression {
    const uint8_t* begin = nullptr;
    uint32_t size = 0;
};

// Reads bytes forward. A read beyond the end returns zero, and is_sound() is false from then on.
class DwarfBytes {
public:
    DwarfBytes(const uint8_t* begin, const uint8_t* end) : at_(begin), end_(end) {}

    const uint8_t* at() const { return at_; }
    bool is_sound() const { return sound_; }
    bool is_done() const { return !sound_ || at_ >= end_; }

    template <class Number>
    Number number() {
        Number value{};
        if (!has(sizeof value)) return value;
        std::memcpy(&value, at_, sizeof value);
        at_ += sizeof value;
        return value;
    }

    uint64_t unsigned_leb() {
        uint64_t value = 0;
        for (unsigned shift = 0; has(1); shift += 7) {
            const uint8_t byte = *at_++;
            if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
            if ((byte & 0x80) == 0) return value;
        }
        return 0;
    }

    int64_t signed_leb() {
        uint64_t value = 0;
        for (unsigned shift = 0; has(1);) {
            const uint8_t byte = *at_++;
            if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
            shift += 7;
            if ((byte & 0x80) != 0) continue;
            if (shift < 64 && (byte & 0x40) != 0) value |= ~uint64_t{0} << shift;
            return static_cast<int64_t>(value);
        }
        return 0;
    }

    // Reads a pointer in one of the encodings. `data` is the base of data-relative pointers.
    uint64_t pointer(uint8_t encoding, uint64_t data) {
        const auto place = reinterpret_cast<uint64_t>(at_);
        uint64_t value = 0;
        switch (encoding & encoding_width) {
            case 0x00: value = number<uint64_t>(); break;
            case 0x01: value = unsigned_leb(); break;
            case 0x02: value = number<uint16_t>(); break;
            case 0x03: value = number<uint32_t>(); break;
            case 0x04: value = number<uint64_t>(); break;
            case 0x09: value = static_cast<uint64_t>(signed_leb()); break;
            case 0x0a: value = static_cast<uint64_t>(int64_t{number<int16_t>()}); break;
            case 0x0b: value = static_cast<uint64_t>(int64_t{number<int32_t>()}); break;
            case 0x0c: value = static_cast<uint64_t>(number<int64_t>()); break;
            default: sound_ = false; return 0;
        }
        switch (encoding & encoding_base) {
            case 0: break;
            case base_pc: value += place; break;
            case base_data: value += data; break;
            default: sound_ = false; return 0;
        }
        return value;
    }

    void skip(uint64_t count) {
        if (has(count)) at_ += count;
    }

    Expression expression() {
        Expression found;
        const uint64_t size = unsigned_leb();
        if (size > 0xffff || !has(size)) {
            sound_ = false;
            return found;
        }
        found = {at_, static_cast<uint32_t>(size)};
        at_ += size;
        return found;
    }

private:
    bool has(uint64_t count) {
        if (sound_ && count <= static_cast<uint64_t>(end_ - at_)) return true;
        sound_ = false;
        return false;
    }

    const uint8_t* at_;
    const uint8_t* end_;
    bool sound_ = true;
};

}  // namespace memtrace::preload
