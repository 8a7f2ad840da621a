// SPDX-License-Identifier: Apache-2.0
//
// The inner ends of the stacks that a thread met: some frames, below a frame that has an id, and
// the ids of them all. A program does the same things in the same order again and again, so each
// chain also remembers which one came after it the last time. Where a stack was far from the one
// before, it took several chains: then each but the outermost knows the one outside of it.
//
// Most chains are short and take one cache line, their head. The outer frames of longer ones are in
// the line beside it, which others may overwrite: the two belong together if both say so.
#pragma once

#include <cstdint>

#include "preload/line_table.h"
#include "preload/stack_walk.h"

namespace memtrace::preload {

struct ChainHead {
    static constexpr uint32_t frames_max = expected_frames_near;
    uint32_t stamp;    // a number of its own, and even; 0: there is no chain
    uint32_t parent;   // the id of the frame outside of the chain
    static constexpr unsigned place_bits = 17;
    static constexpr uint64_t place_mask = (1u << place_bits) - 1;
    uint64_t next : place_bits;        // the place of the chain that came next
    uint64_t after_next : place_bits;  // and of the one after that, so that it is loaded in time
    uint64_t outer : place_bits;       // of the one that was outside of it
    uint64_t next_is_long : 1;
    uint64_t after_next_is_long : 1;
    uint64_t has_outer : 1;
    uint64_t was_used : 1;
    uint64_t count : 4;  // of frames, those in the rest included
    uint64_t depth : Expectation::depth_bits;  // of the last stack that it ended
    uint64_t frames[frames_max];  // innermost first; expected_word()
    uint32_t ids[frames_max];
};

struct ChainRest {
    static constexpr uint32_t frames_max = expected_frames_max - ChainHead::frames_max;
    uint32_t stamp;  // that of the head and 1
    uint32_t ids[frames_max];
    uint64_t frames[frames_max];
};

union alignas(64) ChainLine {
    ChainHead head;
    ChainRest rest;
};

static_assert(sizeof(ChainLine) == 64);
static_assert(expected_frames_max < 1u << 4);

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

    Expectation expectation(uint64_t generation) const {
        if (!is_head()) return {};
        const uint64_t count = is_whole() ? head.count : ChainHead::frames_max;
        return {head.frames, rest.frames, static_cast<uint32_t>(count), generation,
                static_cast<uint32_t>(head.depth)};
    }

    // The chain ends a stack of so many native frames.
    void note_depth(uint32_t frames) const {
        const uint32_t depth = frames & Expectation::depth_mask;
        if (head.depth != depth) head.depth = depth & Expectation::depth_mask;
    }
};

// The chains of a stack that is expected, the innermost first, each outside of the one before. What
// lies there may have been overwritten.
struct ExpectedChains {
    static constexpr uint32_t chains_max = 5;
    uint32_t places[chains_max];
    uint32_t count = 0;
};

class ChainTable {
public:
    // False: there is no memory, and so no chain.
    bool has_lines() { return lines_.has_lines(); }
    uint64_t bytes() const { return lines_.bytes(); }
    void clear() {
        lines_.clear();
        last_ = {};
        for (Visited& one : before_) one = {};
    }

    // The chain that came next after the last one, the last time.
    ChainView expected() { return at(last_.next); }

    // That one, and those outside of it.
    ExpectedChains all_expected() {
        ExpectedChains all;
        uint32_t parent = 0;
        for (uint32_t place = last_.next; all.count < ExpectedChains::chains_max;) {
            const ChainView chain = at(place);
            if (!chain.is_whole() || (all.count != 0 && chain.id(0) != parent)) break;
            parent = chain.head.parent;
            all.places[all.count++] = place;
            if (chain.head.has_outer == 0) break;
            place = chain.head.outer;
        }
        return all;
    }

    ChainView at(uint32_t place) { return {lines_[place].head, lines_[rest_place(place)].rest}; }

    // The chain there belongs to a stack in which the one at `outer` was outside of it.
    void link(uint32_t place, uint32_t outer) {
        ChainHead& head = lines_[place].head;
        head.outer = outer & ChainHead::place_mask;
        head.has_outer = 1;
    }

    // Begins to load what find() will look at.
    void prefetch(uint64_t path, uint32_t count) {
        for (const uint32_t place : {first_place(path), second_place(path)}) {
            lines_.prefetch(place);
            if (count > ChainHead::frames_max) lines_.prefetch(rest_place(place));
        }
    }

    static constexpr uint32_t no_place = ~uint32_t{0};

    // Calls is_same(chain) for the chains that may be the one of the stack with the hash `path`,
    // until it says true; returns its place. no_place: the chain is not here. `is_innermost`: the
    // chain ends a stack, and the next to be expected is the one that follows it.
    template <class IsSame>
    uint32_t find(uint64_t path, bool is_innermost, IsSame&& is_same) {
        for (const uint32_t place : {first_place(path), second_place(path)}) {
            if (!is_same(at(place))) continue;
            mark_used(place);
            if (is_innermost) follow(place);
            return place;
        }
        return no_place;
    }

    // expected() was the right one.
    void follow_expected() {
        const uint32_t place = last_.next;
        mark_used(place);
        go_to(place);
    }

    // The chain there was the right one; another ends the stack.
    void mark_used(uint32_t place) {
        ChainHead& head = lines_[place].head;
        if (head.was_used == 0) head.was_used = 1;
    }

    // Makes a chain of `count` frames for the stack with the hash `path`; fill(chain) writes its
    // parent, frames and ids. Returns its place; no_place: the table has grown, and it is gone.
    // `is_back`: the stack is not new. `stacks`: how many there were till now.
    template <class Fill>
    uint32_t add(uint64_t path, uint32_t count, bool is_innermost, bool is_back, uint64_t stacks,
                 Fill&& fill) {
        // After two thousand million chains stamps come again.
        if (stamp_ + 2 < stamp_) clear();
        stamp_ += 2;
        const uint32_t place = choose_place(path);
        const ChainView chain = at(place);
        chain.head = {};
        chain.head.stamp = stamp_;
        chain.head.count = count & 0xf;
        if (chain.is_long()) chain.rest.stamp = stamp_ + 1;
        fill(chain);
        if (is_innermost) follow(place);
        const uint64_t before = bytes();
        lines_.note_write(is_back, stacks);
        return bytes() == before ? place : no_place;
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

    // This chain comes after the last two, if these are still there.
    void follow(uint32_t place) {
        const bool is_long = at(place).is_long();
        if (ChainHead& last = lines_[last_.place].head; last_.is(last)) {
            last.next = place & ChainHead::place_mask;
            last.next_is_long = is_long;
        }
        const Visited& oldest = before_[turn_];
        if (ChainHead& before = lines_[oldest.place].head; oldest.is(before)) {
            before.after_next = place & ChainHead::place_mask;
            before.after_next_is_long = is_long;
        }
        go_to(place);
    }

    void go_to(uint32_t place) {
        const ChainHead& head = lines_[place].head;
        before_[turn_] = last_;
        turn_ = turn_ + 1 == steps_ahead - 1 ? 0 : turn_ + 1;
        last_ = {place, head.stamp, static_cast<uint32_t>(head.next)};
        lines_.prefetch(head.after_next);
        if (head.after_next_is_long != 0) lines_.prefetch(rest_place(head.after_next));
    }

    LineTable<ChainLine> lines_;
    static_assert((uint32_t{1} << decltype(lines_)::bits_max) - 1 <= ChainHead::place_mask);
    struct Visited {
        uint32_t place = 0;
        uint32_t stamp = 0;
        uint32_t next = 0;  // head.next when it was visited
        bool is(const ChainHead& head) const { return stamp != 0 && head.stamp == stamp; }
    };
    Visited last_;
    static constexpr uint32_t steps_ahead = 3;
    Visited before_[steps_ahead - 1];  // in turns; the oldest is next
    uint32_t turn_ = 0;
    uint32_t stamp_ = 0;
};

}  // namespace memtrace::preload
