// SPDX-License-Identifier: Apache-2.0
//
// The stack cache: the cached stacks of one thread (cached_stack.h), in the order in which its
// stacks come.
//
// A program that works in loops meets the same stacks in the same order. So each cached stack
// refers to the cached stack that came after it the last time, and that one is compared first. Next
// comes the one that came after it before, and then others of the same call. A stack that matches
// none of them must be found by other means. It becomes a cached stack when it is met for the
// second time.
//
// If stacks are always new, lookups and additions pause for a while. If there is no room for more,
// the present cached stacks are on trial. They stay, and get more room, if most of them are met
// again.
#pragma once

#include <cstdint>

#include "preload/base/bump_arena.h"
#include "preload/unwind/cached_stack.h"
#include "preload/unwind/memo_checks.h"
#include "preload/unwind/stack_walker.h"
#include "preload/unwind/unwind_generation.h"

namespace memtrace::preload {

class StackCache {
public:
    // Returns the cached stack for the hook whose frame pointer is `frame`, or nullptr.
    // `python_holds(entry)` tells whether the Python part is unchanged.
    template <class PythonHolds>
    [[gnu::always_inline]] const CachedStack* find(const void* frame, PythonHolds&& python_holds) {
        const uint64_t at = return_slot(frame);
        // While there are no cached stacks, nothing is in reach of the base.
        if (at - base_ >= StackWord::reach) [[unlikely]]
            return nullptr;
        if (!is_valid(unload_state.load(std::memory_order_acquire))) [[unlikely]]
            return nullptr;
        const uint64_t call = StackWord::pack(base_, at, StackReader::word(at));
        CachedStack& likely = *expected_;
        if (is_call(likely, call) && holds(likely) && python_holds(likely.python_entry))
            [[likely]] {
            ++hits_;
            go_to(likely);
            return &likely;
        }
        const CachedStack* const found = find_elsewhere(call, python_holds);
        hits_ += found != nullptr;
        return found;
    }

    // True if the stack with this id, which find() did not find, should become a cached stack
    // because it comes for the second time. Remembers that it was met.
    bool is_wanted(uint32_t id);

    // Makes a cached stack of a stack that has just been walked. Returns false if it cannot be
    // cached, or if there is no room.
    bool add(uint32_t id, const void* frame, const StackMemo& memo, uint32_t python_entry);

    // Goes on from a stack that find() did not find, and that is cached all the same: because too
    // many are of its call, or because lookups pause. What comes after it is expected next. Without
    // this, one stack that is out of order would cost a walk for each that follows it.
    void go_on_from(uint32_t id, const void* frame);

    // Returns a place in the arena that lasts as long as the cached stacks: until arena().clears()
    // changes, which is_wanted() may cause. Returns no_place if there is no room now.
    uint32_t take(uint64_t bytes);
    BumpArena& arena() { return arena_; }
    const BumpArena& arena() const { return arena_; }

    // Called when ids have become void, or when another thread takes over.
    void clear();

    // The number of stacks that find() found. Other threads read it occasionally.
    const uint64_t& hits() const { return hits_; }

    // For tests that need to see each stack.
    void never_pause() { never_pauses_ = true; }

private:
    static constexpr uint32_t none = BumpArena::no_place;
    static constexpr unsigned calls_bits = 10;
    static constexpr unsigned seen_bits = 12;
    // Cached stacks of the same call that are compared at most.
    static constexpr uint32_t candidates_max = 32;

    static uint64_t return_slot(const void* frame) { return reinterpret_cast<uint64_t>(frame) + 8; }
    static uint64_t place_in_calls(uint64_t call) {
        return (call * 0x9e3779b97f4a7c15u) >> (64 - calls_bits);
    }
    // Of an id.
    static uint32_t place_in_seen(uint32_t id) { return (id * 0x9e3779b9u) >> (32 - seen_bits); }

    // True if the cached stacks were made by the rules that are valid now.
    bool is_valid(uint64_t unloads) const {
        if (is_unloading_in(unloads) && makes(UnwindCheck::cached_stack_unloading)) return false;
        return unwind_generation_in(unloads) == generation_ ||
               !makes(UnwindCheck::cached_stack_generation);
    }

    static bool is_call(const CachedStack& one, uint64_t call) {
        return one.call == call || (!makes(UnwindCheck::cached_stack_call) && one.call != 0);
    }

    [[gnu::always_inline]] bool holds(const CachedStack& one) const {
        const auto& prefix = arena_.at<SharedPrefix>(one.prefix);
        return (StackWord::all_hold(base_, one.words, one.own) ||
                !makes(UnwindCheck::cached_stack_own)) &&
               (StackWord::all_hold(base_, prefix.words, one.shared) ||
                !makes(UnwindCheck::cached_stack_prefix));
    }

    [[gnu::always_inline]] void go_to(CachedStack& one) {
        last_ = &one;
        expected_ = &arena_.at<CachedStack>(one.next);
        // Prefetches the cached stack after the expected one. Few are longer.
        const char* const after = &arena_.at<char>(expected_->next);
        for (int line = 0; line < 3; ++line) __builtin_prefetch(after + line * 64);
        misses_ -= misses_ != 0;
        if (one.trial != trial_) [[unlikely]] {
            one.trial = trial_;
            ++met_;
        }
    }

    // From now on, `one` is expected after the last cached stack.
    void follow(CachedStack& one) {
        const uint16_t place = arena_.place_of(one);
        if (last_->next != place && last_->id != no_stack) {
            last_->other = last_->next;
            last_->next = place;
        }
        go_to(one);
    }

    template <class PythonHolds>
    [[gnu::noinline]] const CachedStack* find_elsewhere(uint64_t call, PythonHolds& python_holds) {
        if (paused_ != 0) {
            --paused_;
            return nullptr;
        }
        const auto is_it = [&](CachedStack& one) {
            return is_call(one, call) && holds(one) && python_holds(one.python_entry);
        };
        if (CachedStack& other = arena_.at<CachedStack>(last_->other); is_it(other)) {
            follow(other);
            return &other;
        }
        return find_of_call(call, candidates_max, is_it);
    }

    // Searches up to `candidates` cached stacks whose call has that hash, the newest first. The
    // first that satisfies is_it(cached stack) becomes the newest, and is followed.
    template <class IsIt>
    const CachedStack* find_of_call(uint64_t call, uint32_t candidates, IsIt&& is_it) {
        uint16_t& newest = calls_[place_in_calls(call)];
        uint16_t* link = &newest;
        for (; candidates != 0 && *link != none; --candidates) {
            CachedStack& one = arena_.at<CachedStack>(*link);
            if (is_it(one)) {
                const uint16_t place = *link;
                *link = one.older;
                one.older = newest;
                newest = place;
                follow(one);
                return &one;
            }
            link = &one.older;
        }
        return nullptr;
    }

    bool can_be_one(const StackMemo& memo, uint64_t unloads) const;
    bool has_begun();
    void begin();
    void note_miss();
    void note_in_pause(uint32_t id);
    bool note_seen(uint32_t id);
    void begin_trial();
    void go_on_with_trial(bool came_again);
    void pause_for(uint32_t stacks);
    struct Words;
    struct Prefix {
        uint32_t place;
        uint32_t shared;
    };
    bool has_already(uint64_t call, uint32_t id, uint32_t python_entry);
    Prefix find_prefix(const Words& words) const;
    Prefix add_prefix(const Words& words, Prefix outer);

    // Members that nearly every stack needs come first.
    uint64_t base_ = 0;        // StackWord's; 0 if there are no cached stacks
    uint64_t generation_ = 0;  // of the rules by which they were made; 0 if there are none
    CachedStack* expected_ = nullptr;
    CachedStack* last_ = nullptr;
    BumpArena arena_;
    uint64_t hits_ = 0;    // stacks that find() found
    uint16_t trial_ = 0;   // see begin_trial()
    uint32_t met_ = 0;     // cached stacks that were met in this trial
    uint32_t misses_ = 0;  // reduced by later hits
    uint32_t paused_ = 0;  // number of stacks to compare only with the expected cached stack
    uint32_t again_ = 0;   // stacks that came again during a pause, less those that were new

    uint16_t* calls_ = nullptr;  // the newest cached stack, by the hash of its call
    uint32_t* seen_ = nullptr;   // ids of stacks that were met, by their hash
    uint16_t* by_id_ = nullptr;  // the newest cached stack, by the hash of its id
    uint32_t conflicts_ = 0;     // in `seen_`
    uint32_t newest_prefix_ = none;
    uint32_t added_ = 0;
    bool is_full_ = false;
    uint32_t missed_ = 0;  // stacks of the trial that were not here
    uint32_t wanted_ = 0;  // those of them that had come before
    uint64_t hits_before_trial_ = 0;
    uint64_t hits_before_pause_ = 0;
    uint32_t next_pause_ = 0;
    bool never_pauses_ = false;
};

}  // namespace memtrace::preload
