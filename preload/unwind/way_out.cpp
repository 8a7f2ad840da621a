// SPDX-License-Identifier: Apache-2.0
#include "preload/unwind/way_out.h"

#include <dlfcn.h>

#include <algorithm>
#include <limits>

#include "preload/loader/loaded_object.h"
#include "preload/unwind/instruction.h"
#include "preload/unwind/unwind_tables.h"

namespace memtrace::preload {
namespace {

// An address on the stack, relative to the frame's rsp or rbp at the call.
struct Place {
    bool is_from_fp = false;
    int64_t offset = 0;
};

// The registers at a point of the way.
struct Point {
    uint64_t pc = 0;
    Place sp;
    Place saved_fp;  // where rbp was loaded from, if it was
    bool is_fp_loaded = false;
    int64_t pushed = 0;  // bytes on top of the stack that were not there at the call
};

class Search {
public:
    Search(const Position& at, StackReader& stack) : at_(at), stack_(stack) {}

    UnwindRule run() {
        dl_find_object object;
        if (!find_loaded_object(reinterpret_cast<void*>(at_.pc), object)) return {};
        begin_ = reinterpret_cast<uint64_t>(object.dlfo_map_start);
        end_ = reinterpret_cast<uint64_t>(object.dlfo_map_end);
        Point start;
        start.pc = at_.pc;
        add(start);
        while (waiting_ != 0 && rule_.kind() == StepKind::none) follow(points_[--waiting_]);
        return rule_;
    }

private:
    static constexpr unsigned points_max = 24;
    static constexpr unsigned seen_max = 64;
    static constexpr unsigned steps_max = 4000;

    // Adds a point from which the way has not been followed yet.
    void add(const Point& point) {
        if (waiting_ == points_max ||
            std::find(seen_, seen_ + seen_count_, point.pc) != seen_ + seen_count_) {
            return;
        }
        if (seen_count_ < seen_max) seen_[seen_count_++] = point.pc;
        points_[waiting_++] = point;
    }

    void follow(Point point) {
        while (steps_ < steps_max && can_read_code(point.pc)) {
            ++steps_;
            const Instruction instruction = decode(reinterpret_cast<const uint8_t*>(point.pc));
            if (instruction.length == 0 || !perform(instruction, point)) return;
            point.pc += instruction.length;
        }
    }

    // Returns false if the way does not go on behind the instruction.
    bool perform(const Instruction& instruction, Point& point) {
        switch (instruction.effect) {
            case Effect::none: return true;
            case Effect::push: move_sp(point, -8); return true;
            case Effect::pop: move_sp(point, 8); return true;
            case Effect::add_sp: move_sp(point, instruction.number); return true;
            case Effect::pop_fp:
                load_fp(point, 0);
                move_sp(point, 8);
                return true;
            case Effect::load_fp: load_fp(point, instruction.number); return true;
            case Effect::sp_from_fp: return take_fp(point, instruction.number);
            case Effect::leave:
                if (!take_fp(point, 0)) return false;
                load_fp(point, 0);
                move_sp(point, 8);
                return true;
            case Effect::branch:
            case Effect::jump: {
                Point other = point;
                other.pc = reinterpret_cast<uint64_t>(instruction.target);
                add(other);
                return instruction.effect == Effect::branch;
            }
            // A jump to another function leaves this one. Another jump hardly finds a return
            // address on top.
            case Effect::indirect_jump:
            case Effect::ret: try_end(point); return false;
            case Effect::unknown:
            case Effect::stop: return false;
        }
        return false;
    }

    static void move_sp(Point& point, int64_t bytes) {
        point.sp.offset += bytes;
        point.pushed = std::max<int64_t>(0, point.pushed - bytes);
    }

    // What was pushed on the way is not yet on the stack.
    static void load_fp(Point& point, int64_t offset) {
        if (offset < point.pushed) return;
        point.saved_fp = {point.sp.is_from_fp, point.sp.offset + offset};
        point.is_fp_loaded = true;
    }

    static bool take_fp(Point& point, int64_t offset) {
        if (point.is_fp_loaded) return false;
        point.sp = {true, offset};
        point.pushed = 0;
        return true;
    }

    uint64_t address_of(const Place& place) const {
        return (place.is_from_fp ? at_.fp : at_.sp) + static_cast<uint64_t>(place.offset);
    }

    void try_end(const Point& point) {
        const uint64_t slot = address_of(point.sp);
        if (slot < at_.sp || !stack_.can_read(slot)) return;
        if (!is_behind_call(StackReader::word(slot))) return;
        const int64_t cfa = point.sp.offset + 8;
        const int64_t save = point.is_fp_loaded ? point.saved_fp.offset - cfa : 0;
        if (cfa != static_cast<int32_t>(cfa) || save != static_cast<int16_t>(save)) return;
        const bool from_fp = point.sp.is_from_fp;
        if (!point.is_fp_loaded) {
            rule_ = UnwindRule(from_fp ? StepKind::fp_keep : StepKind::sp_keep,
                               static_cast<int32_t>(cfa));
        } else if (point.saved_fp.is_from_fp == from_fp &&
                   stack_.can_read(address_of(point.saved_fp))) {
            rule_ = UnwindRule(from_fp ? StepKind::fp_save : StepKind::sp_save,
                               static_cast<int32_t>(cfa), static_cast<int16_t>(save));
        }
    }

    // True if an instruction at `pc` can be read.
    bool can_read_code(uint64_t pc) {
        if (pc < begin_ || pc + instruction_bytes_max >= end_) return false;
        const auto is_page_readable = [this](uint64_t address) {
            constexpr uint64_t page = 4096;
            if (address / page == last_page_) return true;
            if (!is_readable(address & ~(page - 1))) return false;
            last_page_ = address / page;
            return true;
        };
        return is_page_readable(pc + instruction_bytes_max) && is_page_readable(pc);
    }

    const Position& at_;
    StackReader& stack_;
    uint64_t begin_ = 0;  // of the object
    uint64_t end_ = 0;
    UnwindRule rule_;
    Point points_[points_max];  // from which the way goes on
    unsigned waiting_ = 0;
    uint64_t seen_[seen_max] = {};  // where it was followed before
    unsigned seen_count_ = 0;
    unsigned steps_ = 0;
    uint64_t last_page_ = 0;
};

}  // namespace

bool is_behind_call(uint64_t address) {
    if (!is_known_code(address)) return false;
    if (!is_readable((address & ~uint64_t{7}) - 8) || !is_readable(address & ~uint64_t{7})) {
        return false;
    }
    const auto* code = reinterpret_cast<const uint8_t*>(address);
    if (code[-5] == 0xe8) return true;
    const auto is_indirect = [](uint8_t opcode, uint8_t operand) {
        return opcode == 0xff && (operand >> 3 & 7) == 2;
    };
    for (const int length : {2, 3, 4, 6, 7}) {
        if (is_indirect(code[-length], code[-length + 1])) return true;
    }
    return false;
}

UnwindRule find_way_out(const Position& at, StackReader& stack) { return Search(at, stack).run(); }

}  // namespace memtrace::preload
