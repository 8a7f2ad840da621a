// SPDX-License-Identifier: Apache-2.0
#include "preload/transcripts.h"

#include <cstring>

#include "preload/unwind_checks.h"

namespace memtrace::preload {
namespace {

// Longer stacks are walked each time.
constexpr uint32_t words_max = 2048;

// What of a stack may be own before it becomes a spine.
constexpr uint32_t own_max = 32;

// So many more stacks that find() does not know than ones that it does, and it rests; each time
// twice as long, unless it was of use in between.
constexpr uint32_t misses_max = 256;
constexpr uint32_t rest_min = 256;
constexpr uint32_t rest_max = 16384;
constexpr uint64_t hits_of_use = 4096;

// To have been worth their memory, transcripts must have been met so often.
constexpr uint64_t hits_each = 2;

// What was known so many fills ago does not count any more.
constexpr uint32_t fills_max = 8;

constexpr uint32_t rounded_down(uint32_t words) { return words - words % StackWord::at_once; }
constexpr uint32_t rounded_up(uint32_t words) {
    return rounded_down(words + StackWord::at_once - 1);
}

}  // namespace

// The words that a walk read, outermost first.
struct Transcripts::Words {
    uint64_t base;
    uint64_t call;  // the address of the innermost return address
    const StackMemo& memo;
    const StackFrame& innermost = memo.frames[memo.length - 1];
    // The hook saved its caller's rbp below its return address.
    const bool needs_fp = innermost.fp_is_live && makes(UnwindCheck::transcript_fp);
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

bool Transcripts::begin() {
    if (arena_.is_there()) return true;
    if (!arena_.prepare()) return false;
    clear();
    next_rest_ = rest_min;
    return true;
}

void Transcripts::clear() {
    base_ = 0;
    if (!arena_.is_there()) return;
    take_tables();
    std::memset(known_, 0, size_t{1} << known_bits >> 3);
    fills_ = 0;
}

// Forgets all transcripts. The tables lie where they lay.
void Transcripts::take_tables() {
    arena_.clear();
    const auto take = [this](auto*& table, size_t bytes) {
        table = &arena_.at<std::remove_reference_t<decltype(*table)>>(arena_.take(bytes));
    };
    take(known_, size_t{1} << known_bits >> 3);
    take(calls_, sizeof *calls_ << calls_bits);
    take(seen_, sizeof *seen_ << seen_bits);
    std::memset(calls_, 0, sizeof *calls_ << calls_bits);
    std::memset(seen_, 0, sizeof *seen_ << seen_bits);
    base_ = 0;
    last_ = expected_ = &arena_.at<Transcript>(none);
    newest_spine_ = none;
    added_ = added_again_ = 0;
    hits_then_ = hits_;
}

uint32_t Transcripts::take(uint64_t bytes) {
    if (const uint32_t place = arena_.take(bytes); place != none) return place;
    // Stacks that come and go for good would only fill a larger one, too.
    const bool came_again = came_again_;
    came_again_ = added_again_ * 4 > added_ * 3;
    if (came_again && came_again_ && arena_.grow()) return arena_.take(bytes);
    if (hits_ - hits_then_ < hits_each * added_) rest_for(rest_max);
    if (++fills_ >= fills_max) clear();
    else take_tables();
    return none;
}

void Transcripts::note_added(uint32_t id) {
    uint64_t& bits = known_[place_in_known(id) / 64];
    const uint64_t bit = uint64_t{1} << place_in_known(id) % 64;
    // It was missed once, and did come again.
    misses_ -= misses_ != 0;
    ++added_;
    added_again_ += (bits & bit) != 0;
    bits |= bit;
}

void Transcripts::rest_for(uint32_t stacks) {
    if (never_rests_) return;
    resting_ = stacks;
    next_rest_ = stacks < rest_max / 2 ? 2 * stacks : rest_max;
    misses_ = 0;
    hits_before_rest_ = hits_;
}

void Transcripts::note_miss() {
    if (++misses_ < misses_max) return;
    rest_for(hits_ - hits_before_rest_ >= hits_of_use ? rest_min : next_rest_);
}

// ---- new transcripts ----------------------------------------------------------------------------

bool Transcripts::is_wanted_now(uint32_t id) {
    if (resting_ != 0) {
        // While there are none find() does not count.
        if (base_ == 0) --resting_;
        return false;
    }
    if (!begin()) return false;
    uint32_t& seen = seen_[place_in_seen(id)];
    if (seen == id) return true;
    seen = id;
    note_miss();
    return false;
}

// Nothing may be remembered while code is unloaded, and of no other stack is known that its words
// stay readable.
bool Transcripts::can_be_one(const StackMemo& memo, uint64_t unloads) const {
    return memo.is_on_own_stack && memo.end == StackEnd::complete && memo.generation != 0 &&
           memo.generation == unwind_generation_in(unloads) && !is_unloading_in(unloads);
}

// A spine that has as many of the words as any, of those that are asked.
Transcripts::Spine Transcripts::find_spine(const Words& words) const {
    Spine best{none, 0};
    for (const uint32_t place : {uint32_t{last_->spine}, newest_spine_}) {
        const auto& spine = arena_.at<TranscriptSpine>(place);
        uint32_t same = 0;
        const uint32_t count = words.count < spine.count ? words.count : uint32_t(spine.count);
        while (same < count && spine.words[same] == words.packed(same)) ++same;
        if (rounded_down(same) > best.shared) best = {place, rounded_down(same)};
    }
    return best;
}

Transcripts::Spine Transcripts::add_spine(const Words& words) {
    const uint32_t count = rounded_down(words.count);
    const uint32_t place = take(TranscriptSpine::bytes(count));
    if (place == none) return {none, 0};
    auto& spine = arena_.at<TranscriptSpine>(place);
    spine.count = count;
    for (uint32_t i = 0; i < count; ++i) spine.words[i] = words.packed(i);
    newest_spine_ = place;
    return {place, count};
}

bool Transcripts::add(uint32_t id, const void* frame, const StackMemo& memo, uint32_t rest) {
    const uint64_t unloads = unload_state.load(std::memory_order_acquire);
    if (!can_be_one(memo, unloads)) return false;
    if (generation_ != unwind_generation_in(unloads)) {
        clear();
        generation_ = unwind_generation_in(unloads);
    }
    // The outermost frame is not far from the stack's upper end.
    constexpr uint64_t above = 4096;
    const uint64_t base = memo.frames[0].sp + above - StackWord::reach;
    const Words words{base_ != 0 ? base_ : base, return_slot(frame), memo};
    if (!words.fit()) {
        note_miss();
        return false;
    }
    base_ = words.base;
    Spine spine = find_spine(words);
    if (words.count - spine.shared > own_max) {
        spine = add_spine(words);
        if (spine.place == none) return false;
    }
    const uint32_t own = rounded_up(words.count - spine.shared);
    const uint32_t place = take(Transcript::bytes(own));
    if (place == none) return false;
    auto& one = arena_.at<Transcript>(place);
    one = {.call = StackWord::pack(words.base, words.call, words.innermost.pc),
           .id = id,
           .frames = static_cast<uint16_t>(memo.length),
           .next = none,
           .other = none,
           .older = calls_[0],
           .rest = static_cast<uint16_t>(rest),
           .spine = static_cast<uint16_t>(spine.place),
           .shared = static_cast<uint16_t>(spine.shared),
           .own = static_cast<uint16_t>(own),
           .words = {}};
    // The outermost of them again and again where they do not come to a multiple.
    for (uint32_t i = 0; i < own; ++i) {
        const uint32_t inner = words.count - 1 - i;
        one.words[i] = words.packed(i < words.count - spine.shared ? inner : spine.shared);
    }
    uint16_t& newest = calls_[place_in_calls(one.call)];
    one.older = newest;
    newest = static_cast<uint16_t>(place);
    note_added(id);
    follow(one);
    return true;
}

}  // namespace memtrace::preload
