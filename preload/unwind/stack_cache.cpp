// SPDX-License-Identifier: Apache-2.0
#include "preload/unwind/stack_cache.h"

#include <cstring>

#include "preload/unwind/memo_checks.h"

namespace memtrace::preload {
namespace {

// Longer stacks are walked each time.
constexpr uint32_t words_max = 8192;

// A stack with more own words than this gets a new shared prefix.
constexpr uint32_t own_max = 32;

// Cache misses before any memory is allocated.
constexpr uint32_t misses_first = 64;

// When misses exceed hits by this many, lookups pause. Each pause is twice as long as the last
// unless enough hits came in between.
constexpr uint32_t misses_max = 256;
constexpr uint32_t rest_min = 256;
constexpr uint32_t rest_max = 16384;
constexpr uint64_t hits_of_use = 4096;
// A pause ends early when so many more stacks came again than were new.
constexpr uint32_t again_max = 64;

// When there is no room for more, this many stacks are observed before the present cached stacks
// are given up. If this part of them is met again meanwhile, they are kept. A half of them is
// enough when as many other stacks have come again.
constexpr uint64_t trial_stacks = 32768;
constexpr uint32_t kept_parts = 3;
constexpr uint32_t of_parts = 4;

constexpr uint32_t rounded_down(uint32_t words) { return words - words % StackWord::at_once; }
constexpr uint32_t rounded_up(uint32_t words) {
    return rounded_down(words + StackWord::at_once - 1);
}

}  // namespace

// The words that a walk read, outermost first.
struct StackCache::Words {
    uint64_t base;
    uint64_t call;  // the address of the innermost return address
    const StackMemo& memo;
    const StackFrame& innermost = memo.frames[memo.length - 1];
    // The hook saved its caller's rbp below its return address.
    const bool needs_fp = innermost.fp_is_live && makes(UnwindCheck::cached_stack_fp);
    const uint32_t count = innermost.checks + needs_fp;

    StackMemo::Check check(uint32_t i) const {
        if (i == innermost.checks) return {call - 8, innermost.fp};
        return memo.checks[i];
    }
    uint64_t packed(uint32_t i) const {
        const StackMemo::Check word = check(i);
        return StackWord::pack(base, word.address, word.expected);
    }
    bool fit() const {
        bool all = count <= words_max && StackWord::fits(base, call, innermost.pc);
        for (uint32_t i = 0; i < count && all; ++i) {
            const StackMemo::Check word = check(i);
            all = StackWord::fits(base, word.address, word.expected);
        }
        return all;
    }
};

// ---- memory -------------------------------------------------------------------------------------

// Most threads find few stacks, and a cache is not worth its memory.
bool StackCache::has_begun() {
    if (seen_ != nullptr) [[likely]]
        return true;
    if (!never_pauses_ && ++misses_ < misses_first) return false;
    misses_ = 0;
    if (!arena_.prepare()) return false;
    begin();
    next_pause_ = rest_min;
    return true;
}

void StackCache::clear() {
    base_ = 0;
    seen_ = nullptr;
    misses_ = paused_ = 0;
}

void StackCache::begin() {
    arena_.clear();
    const auto take_table = [this](auto*& table, unsigned bits) {
        const size_t bytes = sizeof *table << bits;
        table = &arena_.at<std::remove_reference_t<decltype(*table)>>(arena_.take(bytes));
        std::memset(table, 0, bytes);
    };
    take_table(calls_, calls_bits);
    take_table(seen_, seen_bits);
    take_table(by_id_, seen_bits);
    base_ = 0;
    generation_ = unwind_generation();
    last_ = expected_ = &arena_.at<CachedStack>(none);
    newest_prefix_ = none;
    added_ = 0;
    is_full_ = false;
}

uint32_t StackCache::take(uint64_t bytes) {
    const uint32_t place = arena_.take(bytes);
    if (place == none) begin_trial();
    return place;
}

// From now on, each cached stack that is met is counted once.
void StackCache::begin_trial() {
    is_full_ = true;
    ++trial_;
    met_ = 0;
    missed_ = 0;
    wanted_ = 0;
    hits_before_trial_ = hits_;
}

// Runs while there is no room. If the present cached stacks are still useful, the arena grows if it
// can, and otherwise they stay. If they are not met again, they make room for others.
// `came_again`: the stack would become a cached stack if there were room.
void StackCache::go_on_with_trial(bool came_again) {
    ++missed_;
    wanted_ += came_again;
    const bool has_rivals = wanted_ >= added_;
    const bool is_of_use =
        uint64_t{met_} * of_parts >= uint64_t{added_} * (has_rivals ? kept_parts - 1 : kept_parts);
    if (is_of_use) {
        if (arena_.grow()) is_full_ = false;
        else begin_trial();
    } else if (missed_ + hits_ - hits_before_trial_ > trial_stacks) {
        begin();
    }
}

void StackCache::pause_for(uint32_t stacks) {
    if (never_pauses_) return;
    paused_ = stacks;
    next_pause_ = stacks < rest_max / 2 ? 2 * stacks : rest_max;
    misses_ = again_ = 0;
    hits_before_pause_ = hits_;
}

// During a pause, stacks are still told from those that come again: this costs little beside the
// walk, and a recursion meets hundreds of new stacks before it comes back to the first.
void StackCache::note_in_pause(uint32_t id) {
    if (seen_ == nullptr || !note_seen(id)) {
        again_ -= again_ != 0;
    } else if (++again_ == again_max) {
        paused_ = 0;
    }
}

// Returns true if the stack was met before.
bool StackCache::note_seen(uint32_t id) {
    uint32_t& seen = seen_[place_in_seen(id)];
    if (seen == id) return true;
    // If two ids that come in turn share a place, one of them must have time to come again.
    if (seen == no_stack || ++conflicts_ % 2 == 0) seen = id;
    return false;
}

void StackCache::note_miss() {
    if (++misses_ < misses_max) return;
    pause_for(hits_ - hits_before_pause_ >= hits_of_use ? rest_min : next_pause_);
}

// ---- new cached stacks --------------------------------------------------------------------------

bool StackCache::is_wanted(uint32_t id) {
    if (paused_ != 0) {
        // While there are no cached stacks, find() does not count.
        if (base_ == 0) --paused_;
        note_in_pause(id);
        return false;
    }
    if (!uses_memo || !has_begun()) return false;
    if (generation_ != unwind_generation()) begin();
    if (is_full_) {
        go_on_with_trial(note_seen(id));
        return false;
    }
    if (note_seen(id)) {
        seen_[place_in_seen(id)] = no_stack;
        return true;
    }
    note_miss();
    return false;
}

void StackCache::go_on_from(uint32_t id, const void* frame) {
    if (base_ == 0 || generation_ != unwind_generation()) return;
    CachedStack& one = arena_.at<CachedStack>(by_id_[place_in_seen(id)]);
    const uint64_t at = return_slot(frame);
    if (one.id != id || one.call != StackWord::pack(base_, at, StackReader::word(at))) return;
    if (holds(one)) follow(one);
}

// True if the stack can be cached. Nothing may be remembered while code is being unloaded. Only
// words on the thread's own stack are known to stay readable.
bool StackCache::can_be_one(const StackMemo& memo, uint64_t unloads) const {
    return memo.is_on_own_stack && memo.end == StackEnd::complete &&
           memo.generation == generation_ && generation_ == unwind_generation_in(unloads) &&
           !is_unloading_in(unloads);
}

// Returns the shared prefix that has most of the words, among those considered.
StackCache::Prefix StackCache::find_prefix(const Words& words) const {
    Prefix best{none, 0};
    for (const uint32_t place : {uint32_t{last_->prefix}, newest_prefix_}) {
        const auto& prefix = arena_.at<SharedPrefix>(place);
        uint32_t same = 0;
        const uint32_t count = words.count < prefix.count ? words.count : prefix.count;
        while (same < count && prefix.words[same] == words.packed(same)) ++same;
        if (rounded_down(same) > best.shared) best = {place, rounded_down(same)};
    }
    return best;
}

// `outer`: what the best prefix has of the words. If it has no others, these go on from it, as they
// do in a recursion; so there is room for more of them, or each level would take a prefix.
StackCache::Prefix StackCache::add_prefix(const Words& words, Prefix outer) {
    const uint32_t count = rounded_down(words.count);
    auto& before = arena_.at<SharedPrefix>(outer.place);
    const bool goes_on = outer.shared == before.count;
    uint32_t place = outer.place;
    uint32_t first = outer.shared;
    if (!goes_on || before.room < count) {
        const uint32_t room = goes_on && outer.shared != 0 ? 2 * count : count;
        place = take(SharedPrefix::bytes(room));
        if (place == none) return {none, 0};
        arena_.at<SharedPrefix>(place).room = room;
        newest_prefix_ = place;
        first = 0;
    }
    auto& prefix = arena_.at<SharedPrefix>(place);
    for (uint32_t i = first; i < count; ++i) prefix.words[i] = words.packed(i);
    prefix.count = count;
    return {place, count};
}

// True if the stack is cached already. find() does not reach it if there are too many of that call.
bool StackCache::has_already(uint64_t call, uint32_t id, uint32_t python_entry) {
    constexpr uint32_t all = ~uint32_t{0};
    return find_of_call(call, all, [&](const CachedStack& one) {
               return one.id == id && one.call == call && one.python_entry == python_entry &&
                      holds(one);
           }) != nullptr;
}

bool StackCache::add(uint32_t id, const void* frame, const StackMemo& memo, uint32_t python_entry) {
    const uint64_t unloads = unload_state.load(std::memory_order_acquire);
    if (!can_be_one(memo, unloads)) return false;
    // The outermost frame is not far from the stack's upper end.
    constexpr uint64_t above = 4096;
    const uint64_t base = memo.frames[0].sp + above - StackWord::reach;
    const Words words{base_ != 0 ? base_ : base, return_slot(frame), memo};
    if (!words.fit()) {
        note_miss();
        return false;
    }
    base_ = words.base;
    const uint64_t call = StackWord::pack(base_, words.call, words.innermost.pc);
    if (has_already(call, id, python_entry)) return true;
    Prefix prefix = find_prefix(words);
    if (words.count - prefix.shared > own_max) {
        prefix = add_prefix(words, prefix);
        if (prefix.place == none) return false;
    }
    const uint32_t own = rounded_up(words.count - prefix.shared);
    const uint32_t place = take(CachedStack::bytes(own));
    if (place == none) return false;
    auto& one = arena_.at<CachedStack>(place);
    one = {.call = call,
           .id = id,
           .frames = static_cast<uint16_t>(memo.length),
           .next = none,
           .other = none,
           .older = none,
           .python_entry = static_cast<uint16_t>(python_entry),
           .prefix = static_cast<uint16_t>(prefix.place),
           .shared = static_cast<uint16_t>(prefix.shared),
           .own = static_cast<uint16_t>(own),
           .trial = trial_,
           .words = {}};
    // Padded to a multiple with copies of the outermost own word.
    for (uint32_t i = 0; i < own; ++i) {
        const uint32_t inner = words.count - 1 - i;
        one.words[i] = words.packed(i < words.count - prefix.shared ? inner : prefix.shared);
    }
    uint16_t& newest = calls_[place_in_calls(one.call)];
    one.older = newest;
    newest = static_cast<uint16_t>(place);
    by_id_[place_in_seen(id)] = static_cast<uint16_t>(place);
    ++added_;
    // The stack was missed once, but it did come again.
    misses_ -= misses_ != 0;
    follow(one);
    return true;
}

}  // namespace memtrace::preload
