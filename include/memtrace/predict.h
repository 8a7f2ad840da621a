// SPDX-License-Identifier: Apache-2.0
//
// What the next address, stack or size will probably be: the reason why an event takes two bytes.
//
// An allocator is a creature of habit. It hands back the block of that size that was freed last;
// where there is none, it cuts the next piece off the block that it cut last. A program's loop asks
// for the same sizes from the same stacks in the same order. Writer and reader of a chunk each keep
// this table, feed it the same values in the same order, and so the writer can say "as predicted"
// (a zero, which the compressor then removes) where the guess is right and the exact value where
// it is not. A table lives for one chunk: a damaged chunk spoils nothing outside itself.
//
// Codes, each one varint:
//   acquired   0 the block of this class freed last · 1 just after the last block · n+2 a step
//   released   2d: the block acquired d acquisitions ago (d >= 1) · 2n+1 a step
//   stack      0 as predicted · n+1: zigzag of the difference to the last stack
//   size       0 as predicted · n+1: the size
//   api        0 as predicted · n+1: the api (of an acquire with a short head)
// A step is the way from the last acquired address: 4*(distance/16)+2*down where the distance is a
// multiple of 16, else 4*distance+2*down+1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "memtrace/names.h"
#include "memtrace/varint.h"

namespace memtrace {

class Predictor {
public:
    // The table is large and lives in memory that the owner provides, all zero at first.
    Predictor() = default;

    // Forgets what was learnt, for a new chunk.
    void begin() {
        std::memset(place_, 0, sizeof place_);
        std::memset(freed_, 0, sizeof freed_);
        std::memset(stacks_, 0, sizeof stacks_);
        std::memset(sizes_, 0, sizeof sizes_);
        std::memset(apis_, 0, sizeof apis_);
        acquired_ = 0;
        last_address_ = 0;
        last_size_ = 0;
        last_stack_ = 0;
        stack_context_ = 0;
    }

    // ---- addresses ------------------------------------------------------------------------------

    uint64_t encode_acquired(uint64_t address, uint64_t size) {
        uint64_t code;
        if (address == freed_guess(size)) code = 0;
        else if (address == next_guess()) code = 1;
        else code = step_to(address) + 2;
        learn_acquired(address, size, code == 0);
        return code;
    }

    uint64_t decode_acquired(uint64_t code, uint64_t size) {
        const uint64_t address = code == 0   ? freed_guess(size)
                                 : code == 1 ? next_guess()
                                             : step_from(code - 2);
        learn_acquired(address, size, code == 0);
        return address;
    }

    uint64_t encode_released(uint64_t address) {
        const uint32_t after = place_[place_of(address)];
        const uint32_t distance = acquired_ - after + 1;
        const uint32_t number = (after - 1) % history_length;
        if (after == 0 || distance > history_length || addresses_[number] != address) {
            return step_to(address) << 1 | 1;
        }
        learn_released(address, classes_[number]);
        return uint64_t{distance} << 1;
    }

    // False: the code names a block that this chunk never acquired.
    bool decode_released(uint64_t code, uint64_t& address) {
        if (code & 1) {
            address = step_from(code >> 1);
            return true;
        }
        const uint64_t distance = code >> 1;
        if (distance < 1 || distance > history_length || distance > acquired_) return false;
        const size_t number = (acquired_ - distance) % history_length;
        address = addresses_[number];
        learn_released(address, classes_[number]);
        return true;
    }

    // ---- stacks and sizes -----------------------------------------------------------------------

    uint64_t encode_stack(uint32_t stack) {
        const uint64_t code =
            stack == stack_guess() ? 0 : zigzag(int64_t{stack} - int64_t{last_stack_}) + 1;
        learn_stack(stack);
        return code;
    }

    uint32_t decode_stack(uint64_t code) {
        const uint32_t stack = code == 0 ? stack_guess()
                                         : static_cast<uint32_t>(last_stack_ + unzigzag(code - 1));
        learn_stack(stack);
        return stack;
    }

    // Of the block that the last encoded or decoded stack asks for.
    uint64_t encode_size(uint64_t size) {
        const uint64_t code = size == size_guess() ? 0 : size + 1;
        sizes_[size_place()] = size;
        return code;
    }

    uint64_t decode_size(uint64_t code) {
        const uint64_t size = code == 0 ? size_guess() : code - 1;
        sizes_[size_place()] = size;
        return size;
    }

    // As the size: a place in the program mostly calls the same function.
    uint64_t encode_api(Api api) {
        Api& last = apis_[size_place()];
        const uint64_t code = api == last ? 0 : static_cast<uint64_t>(api) + 1;
        last = api;
        return code;
    }

    Api decode_api(uint64_t code) {
        Api& last = apis_[size_place()];
        if (code != 0) last = static_cast<Api>(code - 1);
        return last;
    }

private:
    static constexpr size_t   history_length = 4096;
    static constexpr size_t   freed_classes  = 128;  // fits classes_
    static constexpr size_t   freed_depth    = 8;
    static constexpr size_t   table_length   = 4096;

    struct FreedClass {
        uint64_t count;  // ever pushed minus popped; the stack wraps
        uint64_t address[freed_depth];
    };

    static size_t mix(uint64_t value) {
        return static_cast<size_t>((value * 0x9e3779b97f4a7c15u) >> 40);
    }
    static size_t place_of(uint64_t address) { return mix(address) % table_length; }
    // glibc's chunk size for a request: 8 bytes of header, 16-byte steps, 32 at least.
    static uint64_t chunk_bytes(uint64_t size) {
        const uint64_t bytes = (size + 8 + 15) & ~uint64_t{15};
        return bytes < 32 ? 32 : bytes;
    }
    static size_t class_of(uint64_t size) { return (chunk_bytes(size) / 16) % freed_classes; }

    uint64_t next_guess() const { return last_address_ + chunk_bytes(last_size_); }

    uint64_t freed_guess(uint64_t size) const {
        const FreedClass& freed = freed_[class_of(size)];
        if (freed.count == 0) return 0;
        return freed.address[(freed.count - 1) % freed_depth];
    }

    uint64_t step_to(uint64_t address) const {
        // Up or down is as good as random: all ones where it is down, and no branch.
        const uint64_t down = uint64_t{0} - uint64_t{address < last_address_};
        const uint64_t distance = ((address - last_address_) ^ down) - down;
        const uint64_t direction = down & 2;
        if (distance % 16 == 0) [[likely]] return (distance / 16) << 2 | direction;
        return distance << 2 | direction | 1;
    }

    uint64_t step_from(uint64_t step) const {
        const uint64_t distance = step & 1 ? step >> 2 : (step >> 2) * 16;
        return step & 2 ? last_address_ - distance : last_address_ + distance;
    }

    void learn_acquired(uint64_t address, uint64_t size, bool from_freed) {
        if (from_freed) {
            FreedClass& freed = freed_[class_of(size)];
            if (freed.count > 0) freed.count -= 1;
        }
        addresses_[acquired_ % history_length] = address;
        classes_[acquired_ % history_length] = static_cast<uint8_t>(class_of(size));
        acquired_ += 1;
        place_[place_of(address)] = acquired_;
        last_address_ = address;
        last_size_ = size;
    }

    void learn_released(uint64_t address, uint8_t size_class) {
        FreedClass& freed = freed_[size_class];
        freed.address[freed.count % freed_depth] = address;
        freed.count += 1;
    }

    size_t stack_place() const { return mix(stack_context_) % table_length; }
    uint32_t stack_guess() const { return stacks_[stack_place()]; }
    void learn_stack(uint32_t stack) {
        stacks_[stack_place()] = stack;
        stack_context_ = stack_context_ << 32 | stack;
        last_stack_ = stack;
    }

    size_t size_place() const { return mix(last_stack_) % table_length; }
    uint64_t size_guess() const { return sizes_[size_place()]; }

    uint32_t acquired_ = 0;  // acquisitions so far; a chunk has fewer than it can count
    uint32_t last_stack_ = 0;
    uint64_t last_address_ = 0;
    uint64_t last_size_ = 0;
    uint64_t stack_context_ = 0;  // the last two stacks
    // All of them small enough to stay in a near cache beside what the program works on.
    uint64_t   addresses_[history_length] = {};  // of the last acquisitions
    uint8_t    classes_[history_length] = {};
    uint32_t   place_[table_length] = {};  // by address: its newest acquisition, counted from 1
    uint32_t   stacks_[table_length] = {};
    uint64_t   sizes_[table_length] = {};
    Api        apis_[table_length] = {};
    FreedClass freed_[freed_classes] = {};
};

}  // namespace memtrace
