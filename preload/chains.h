// SPDX-License-Identifier: Apache-2.0
//
// The inner ends of the stacks that a thread met: some frames, below a frame that has an id, and
// the ids of them all. A program does the same things in the same order again and again, so a chain
// that ends a stack also remembers which one did a few stacks later: that one is loaded ahead.
//
// Most chains are short and take one cache line, their head. The outer frames of longer ones are in
// the line beside it, which others may overwrite: the two belong together if both say so.
#pragma once

#include <cstdint>

#include "preload/line_table.h"

namespace memtrace::preload {

inline constexpr uint32_t chain_frames_max = 9;

struct ChainHead {
    static constexpr uint32_t frames_max = 4;
    uint32_t stamp;   // a number of its own, and even; 0: there is no chain
    uint32_t parent;  // the id of the frame outside of the chain
    uint32_t ahead;   // the place of the one that came a few stacks later
    uint16_t count;   // of frames, those in the rest included
    // 0 or 1; anything where the line is another chain's rest.
    uint8_t  ahead_is_long;
    uint8_t  was_used;
    uint64_t frames[frames_max];  // innermost first; MergedStack::words
    uint32_t ids[frames_max];
};

struct ChainRest {
    static constexpr uint32_t frames_max = chain_frames_max - ChainHead::frames_max;
    uint32_t stamp;  // that of the head and 1
    uint32_t ids[frames_max];
    uint64_t frames[frames_max];
};

union alignas(64) ChainLine {
    ChainHead head;
    ChainRest rest;
};

static_assert(sizeof(ChainLine) == 64);

// A chain where it lies. What it points at may be anything: ask is_whole() first.
struct ChainView {
    ChainHead& head;
    ChainRest& rest;

    bool is_head() const { return head.stamp != 0 && (head.stamp & 1) == 0; }
    bool is_long() const { return head.count > ChainHead::frames_max; }
    bool is_whole() const { return is_head() && (!is_long() || rest.stamp == head.stamp + 1); }

    uint64_t& frame(uint32_t i) const {
        return i < ChainHead::frames_max ? head.frames[i] : rest.frames[i - ChainHead::frames_max];
    }
    uint32_t& id(uint32_t i) const {
        return i < ChainHead::frames_max ? head.ids[i] : rest.ids[i - ChainHead::frames_max];
    }
};

class ChainTable {
public:
    // False: there is no memory, and so no chain.
    bool has_lines() { return lines_.has_lines(); }
    uint64_t bytes() const { return lines_.bytes(); }
    void clear() {
        lines_.clear();
        for (Visited& one : visited_) one = {};
    }

    ChainView at(uint32_t place) { return {lines_[place].head, lines_[rest_place(place)].rest}; }

    // Begins to load what find() will look at.
    void prefetch(uint64_t path, uint32_t count) {
        for (const uint32_t place : {first_place(path), second_place(path)}) {
            lines_.prefetch(place);
            if (count > ChainHead::frames_max) lines_.prefetch(rest_place(place));
        }
    }

    // Calls is_same(chain) for the chains that may be the one of the stack with the hash `path`,
    // until it says true. False: the chain is not here. `is_innermost`: it ends a stack.
    template <class IsSame>
    bool find(uint64_t path, bool is_innermost, IsSame&& is_same) {
        for (const uint32_t place : {first_place(path), second_place(path)}) {
            if (!is_same(at(place))) continue;
            lines_[place].head.was_used = 1;
            if (is_innermost) visit(place);
            return true;
        }
        return false;
    }

    // Makes a chain of `count` frames for the stack with the hash `path`; fill(chain) writes its
    // parent, frames and ids. `is_back`: the stack is not new. `stacks`: how many there were till
    // now.
    template <class Fill>
    void add(uint64_t path, uint32_t count, bool is_innermost, bool is_back, uint64_t stacks,
             Fill&& fill) {
        // After two thousand million chains stamps come again.
        if (stamp_ + 2 < stamp_) clear();
        stamp_ += 2;
        const uint32_t place = choose_place(path);
        const ChainView chain = at(place);
        chain.head = {};
        chain.head.stamp = stamp_;
        chain.head.count = static_cast<uint16_t>(count);
        if (chain.is_long()) chain.rest.stamp = stamp_ + 1;
        fill(chain);
        if (is_innermost) visit(place);
        lines_.note_write(is_back, stacks);
    }

private:
    static uint32_t rest_place(uint32_t place) { return place ^ 1; }
    // Two places that have nothing to do with each other: so a table can be half full with hardly a
    // chain in the way of another.
    uint32_t first_place(uint64_t path) const { return lines_.place_of(path); }
    uint32_t second_place(uint64_t path) const { return lines_.place_of(path << 32 | path >> 32); }

    // A free place, or that of a chain which was not used since somebody wanted its place.
    uint32_t choose_place(uint64_t path) {
        const uint32_t places[] = {first_place(path), second_place(path)};
        for (const uint32_t place : places) {
            if (is_free(place)) return place;
        }
        for (const uint32_t place : places) {
            if (lines_[place].head.was_used == 0) return place;
        }
        // A line that is another chain's rest has an id in that place.
        for (const uint32_t place : places) {
            if (at(place).is_head()) lines_[place].head.was_used = 0;
        }
        return places[stamp_ / 2 % 2];
    }

    bool is_free(uint32_t place) {
        const ChainView beside = at(rest_place(place));
        return !at(place).is_whole() && !(beside.is_long() && beside.is_whole());
    }

    // It comes some stacks after an older one, if that is still there.
    void visit(uint32_t place) {
        const ChainHead& head = lines_[place].head;
        Visited& oldest = visited_[turn_];
        if (ChainHead& before = lines_[oldest.place].head; oldest.is(before)) {
            before.ahead = place;
            before.ahead_is_long = at(place).is_long();
        }
        oldest = {place, head.stamp};
        turn_ = turn_ + 1 == stacks_ahead ? 0 : turn_ + 1;
        lines_.prefetch(head.ahead);
        if (head.ahead_is_long != 0) lines_.prefetch(rest_place(head.ahead));
    }

    LineTable<ChainLine> lines_;
    struct Visited {
        uint32_t place = 0;
        uint32_t stamp = 0;
        bool is(const ChainHead& head) const { return stamp != 0 && head.stamp == stamp; }
    };
    // Fewer, and what is loaded comes too late; more, and other things come in between.
    static constexpr uint32_t stacks_ahead = 3;
    Visited  visited_[stacks_ahead];  // in turns: at turn_ is the oldest
    uint32_t turn_ = 0;
    uint32_t stamp_ = 0;
};

}  // namespace memtrace::preload
