// SPDX-License-Identifier: Apache-2.0
//
// Predicts the next address, stack or size. This is why an event takes two bytes.
//
// Allocators repeat themselves. They return the block of the requested size that was freed last. If
// there is none, they cut the next piece off the block that they cut last. A program's loop
// requests the same sizes from the same stacks in the same order. Writer and reader of a chunk each
// keep these tables and feed them the same values in the same order. So the writer can store "as
// predicted" (a zero, which the compressor then removes) if the guess is right, and the exact value
// if it is not. A table lives for one chunk, so a damaged chunk spoils nothing outside itself.
//
// Codes, each one varint:
//   acquired   0 the block of this class freed last · 1 just after the last block · n+2 a step
//   released   2d: the block acquired d acquisitions ago (d >= 1) · 2n+1 a step
//   stack      0 as predicted · n+1: zigzag of the difference to the last stack
//   size       0 as predicted · n+1: the size
//   api        0 as predicted · n+1: the api (of an acquire with a short head)
// A step is the distance from the last acquired address: 4*(distance/16)+2*down if the distance is
// a multiple of 16, else 4*distance+2*down+1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "memtrace/dump/names.h"
#include "memtrace/dump/varint.h"

namespace memtrace {

// What was learned from a chunk. It is large, so the owner provides its memory.
class PredictorTables {
    friend class Predictor;

    static constexpr size_t history_length = 4096;
    static constexpr size_t freed_classes = 128;  // fits `classes`
    static constexpr size_t freed_depth = 8;
    static constexpr size_t length = 4096;

    struct FreedClass {
        uint64_t count;  // ever pushed minus popped; the stack wraps
        uint64_t address[freed_depth];
    };

    // All arrays are small enough to stay in a near cache beside the program's data.
    uint64_t addresses[history_length] = {};  // of the last acquisitions
    uint8_t classes[history_length] = {};
    uint32_t newest[length] = {};  // by address: its newest acquisition, counted from 1
    uint32_t stacks[length] = {};
    uint64_t sizes[length] = {};
    Api apis[length] = {};
    FreedClass freed[freed_classes] = {};
};

// Small. Code that encodes many records has a copy of it, which the compiler keeps in registers.
class Predictor {
public:
    explicit Predictor(PredictorTables& tables) : tables_(&tables) {}

    // Forgets what was learned and begins a new chunk.
    void begin() {
        PredictorTables& tables = *tables_;
        std::memset(tables.newest, 0, sizeof tables.newest);
        std::memset(tables.freed, 0, sizeof tables.freed);
        std::memset(tables.stacks, 0, sizeof tables.stacks);
        std::memset(tables.sizes, 0, sizeof tables.sizes);
        std::memset(tables.apis, 0, sizeof tables.apis);
        *this = Predictor(tables);
    }

    // ---- addresses ------------------------------------------------------------------------------

    uint64_t encode_acquired(uint64_t address, uint64_t size) {
        uint64_t code;
        if (address == freed_guess(size)) code = 0;
        else if (address == next_address_) code = 1;
        else code = step_to(address) + 2;
        learn_acquired(address, size, code == 0);
        tables_->newest[place_of(address)] = acquired_;  // only encoding asks for it
        return code;
    }

    uint64_t decode_acquired(uint64_t code, uint64_t size) {
        const uint64_t address = code == 0   ? freed_guess(size)
                                 : code == 1 ? next_address_
                                             : step_from(code - 2);
        learn_acquired(address, size, code == 0);
        return address;
    }

    uint64_t encode_released(uint64_t address) {
        const uint32_t after = tables_->newest[place_of(address)];
        const uint32_t distance = acquired_ - after + 1;
        const uint32_t number = (after - 1) % history_length;
        if (after == 0 || distance > history_length || tables_->addresses[number] != address) {
            return step_to(address) << 1 | 1;
        }
        learn_released(address, tables_->classes[number]);
        return uint64_t{distance} << 1;
    }

    // Returns false if the code refers to a block that this chunk never acquired.
    bool decode_released(uint64_t code, uint64_t& address) {
        if (code & 1) {
            address = step_from(code >> 1);
            return true;
        }
        const uint64_t distance = code >> 1;
        if (distance < 1 || distance > history_length || distance > acquired_) return false;
        const size_t number = (acquired_ - distance) % history_length;
        address = tables_->addresses[number];
        learn_released(address, tables_->classes[number]);
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
        const uint32_t stack =
            code == 0 ? stack_guess() : static_cast<uint32_t>(last_stack_ + unzigzag(code - 1));
        learn_stack(stack);
        return stack;
    }

    // The size of the block that the last encoded or decoded stack requests.
    // The greatest number has no code of its own: n+1 would be 0, "as predicted". No block has so
    // many bytes, but a record that is made by hand may say so, and must not come back as an empty
    // one.
    static uint64_t with_code(uint64_t size) { return size - (size == UINT64_MAX); }

    // `size` is one that with_code() has returned.
    uint64_t encode_size(uint64_t size) {
        const uint64_t code = size == size_guess() ? 0 : size + 1;
        tables_->sizes[size_place()] = size;
        return code;
    }

    uint64_t decode_size(uint64_t code) {
        const uint64_t size = code == 0 ? size_guess() : code - 1;
        tables_->sizes[size_place()] = size;
        return size;
    }

    // Predicted like the size, because a place in the program mostly calls the same function.
    uint64_t encode_api(Api api) {
        Api& last = tables_->apis[size_place()];
        const uint64_t code = api == last ? 0 : static_cast<uint64_t>(api) + 1;
        last = api;
        return code;
    }

    Api decode_api(uint64_t code) {
        Api& last = tables_->apis[size_place()];
        if (code != 0) last = static_cast<Api>(code - 1);
        return last;
    }

private:
    using FreedClass = PredictorTables::FreedClass;
    static constexpr size_t history_length = PredictorTables::history_length;
    static constexpr size_t freed_depth = PredictorTables::freed_depth;

    static size_t mix(uint64_t value) {
        return static_cast<size_t>((value * 0x9e3779b97f4a7c15u) >> 40);
    }
    static size_t place_of(uint64_t address) { return mix(address) % PredictorTables::length; }
    // glibc's chunk size for a request: 8 bytes of header, 16-byte steps, 32 at least.
    static uint64_t chunk_bytes(uint64_t size) {
        const uint64_t bytes = (size + 8 + 15) & ~uint64_t{15};
        return bytes < 32 ? 32 : bytes;
    }
    static size_t class_of_chunk(uint64_t bytes) {
        return (bytes / 16) % PredictorTables::freed_classes;
    }

    uint64_t freed_guess(uint64_t size) const {
        const FreedClass& freed = tables_->freed[class_of_chunk(chunk_bytes(size))];
        if (freed.count == 0) return 0;
        return freed.address[(freed.count - 1) % freed_depth];
    }

    uint64_t step_to(uint64_t address) const {
        // Up or down is as good as random, so this avoids a branch: all ones if down.
        const uint64_t down = uint64_t{0} - uint64_t{address < last_address_};
        const uint64_t distance = ((address - last_address_) ^ down) - down;
        const uint64_t direction = down & 2;
        if (distance % 16 == 0) [[likely]]
            return (distance / 16) << 2 | direction;
        return distance << 2 | direction | 1;
    }

    uint64_t step_from(uint64_t step) const {
        const uint64_t distance = step & 1 ? step >> 2 : (step >> 2) * 16;
        return step & 2 ? last_address_ - distance : last_address_ + distance;
    }

    void learn_acquired(uint64_t address, uint64_t size, bool from_freed) {
        const uint64_t bytes = chunk_bytes(size);
        const size_t size_class = class_of_chunk(bytes);
        if (from_freed) {
            FreedClass& freed = tables_->freed[size_class];
            if (freed.count > 0) freed.count -= 1;
        }
        tables_->addresses[acquired_ % history_length] = address;
        tables_->classes[acquired_ % history_length] = static_cast<uint8_t>(size_class);
        acquired_ += 1;
        last_address_ = address;
        next_address_ = address + bytes;
    }

    void learn_released(uint64_t address, uint8_t size_class) {
        FreedClass& freed = tables_->freed[size_class];
        freed.address[freed.count % freed_depth] = address;
        freed.count += 1;
    }

    size_t stack_place() const { return mix(stack_context_) % PredictorTables::length; }
    uint32_t stack_guess() const { return tables_->stacks[stack_place()]; }
    void learn_stack(uint32_t stack) {
        tables_->stacks[stack_place()] = stack;
        stack_context_ = stack_context_ << 32 | stack;
        last_stack_ = stack;
    }

    size_t size_place() const { return mix(last_stack_) % PredictorTables::length; }
    uint64_t size_guess() const { return tables_->sizes[size_place()]; }

    PredictorTables* tables_;
    uint32_t acquired_ = 0;  // acquisitions so far; a chunk has fewer than it can count
    uint32_t last_stack_ = 0;
    uint64_t last_address_ = 0;
    uint64_t next_address_ = chunk_bytes(0);  // just after the last block
    uint64_t stack_context_ = 0;              // the last two stacks
};

}  // namespace memtrace
