// SPDX-License-Identifier: Apache-2.0
#include "preload/unwind/stack_walker.h"

#include <algorithm>
#include <cstring>

#include "preload/base/sys.h"
#include "preload/unwind/memo_checks.h"
#include "preload/unwind/rule_cache.h"
#include "preload/unwind/unwind_generation.h"
#include "preload/unwind/unwind_tables.h"

namespace memtrace::preload {
namespace {

constexpr uint32_t checks_of_a_frame_max = 3;

// A frame that was not found by an UnwindRule has no words to compare. It gets a check that fails.
const uint64_t never = 0;
const StackMemo::Check barrier{reinterpret_cast<uint64_t>(&never), 1};

template <class Item>
Item* take(char*& room, uint64_t count) {
    Item* items = reinterpret_cast<Item*>(room);
    room += count * sizeof(Item);
    return items;
}

// Deep stacks that are cut are remembered as the part that they are, because to walk them anew for
// each event would take too long. Where the cut lies then depends on the stacks before. Under a
// small limit, which somebody chose to see few frames, it is the same for equal stacks.
bool is_remembered_cut(const StackMemo& memo, uint32_t depth) {
    constexpr uint32_t remembered_depth_min = 4096;
    return memo.end == StackEnd::depth && depth >= remembered_depth_min;
}

bool prepare(StackMemo& memo, uint32_t depth) {
    if (memo.frames != nullptr) return true;
    const uint64_t checks = uint64_t{depth} * checks_of_a_frame_max;
    char* room =
        static_cast<char*>(sys::map_private(checks * sizeof(StackMemo::Check) + sizeof(StackFrame) +
                                            depth * (sizeof(StackFrame) + sizeof(uint32_t))));
    if (room == nullptr) return false;
    memo.checks = take<StackMemo::Check>(room, checks);
    // Sentinel beyond the outermost frame; it ends every search.
    take<StackFrame>(room, 1)->sp = ~uint64_t{0};
    memo.frames = take<StackFrame>(room, depth);
    memo.numbers = take<uint32_t>(room, depth);
    return true;
}

}  // namespace

bool StackWalker::prepare(uint32_t depth) {
    if (fresh_ != nullptr) return depth <= depth_;
    char* room = static_cast<char*>(sys::map_private(
        sizeof(TableScratch) + ThreadRuleCache::bytes + ways_out_max * sizeof(KnownWayOut) +
        uint64_t{depth} * (sizeof(StackFrame) + sizeof(uint64_t))));
    if (room == nullptr) return false;
    scratch_ = take<TableScratch>(room, 1);
    thread_rules_ = ThreadRuleCache(take<char>(room, ThreadRuleCache::bytes));
    ways_out_ = take<KnownWayOut>(room, ways_out_max);
    fresh_ = take<StackFrame>(room, depth);
    new_ = take<uint64_t>(room, depth);
    __atomic_store_n(&depth_, depth, __ATOMIC_RELAXED);
    return true;
}

void StackWalker::forget_thread() {
    bounds_ = {};
    for (StackMemo& memo : memos_) memo.generation = 0;
}

void StackWalker::forget_numbers() {
    for (StackMemo& memo : memos_) {
        for (uint32_t i = 0; i < memo.length; ++i) memo.numbers[i] = 0;
    }
}

StackMemo* StackWalker::choose_memo(const StackReader& stack, uint64_t sp) {
    if (stack.is_own_stack()) return &memos_[own_memo];
    constexpr uint64_t fiber_bytes_max = 16u << 20;
    for (unsigned i = 1; i < memos_max; ++i) {
        const StackMemo& memo = memos_[i];
        if (memo.generation == 0 || memo.length == 0) continue;
        if (memo.frames[0].sp - sp < fiber_bytes_max) return &memos_[i];
    }
    StackMemo* memo = &memos_[next_memo_];
    next_memo_ = next_memo_ + 1 == memos_max ? 1 : next_memo_ + 1;
    memo->generation = 0;
    return memo;
}

// Returns the first check outward from `frame` with a changed word, or no_mismatch. Words must be
// compared in this order. Until one has been found unchanged, the next may be anywhere.
[[gnu::hot]] uint32_t StackWalker::find_mismatch(const StackMemo& memo, uint32_t frame) {
    const StackMemo::Check* const first = memo.checks;
    const StackMemo::Check* check = first + memo.frames[frame].checks;
    const auto differs = [](const StackMemo::Check& one) {
        return StackReader::word(one.address) ^ one.expected;
    };
    if (memo.is_on_own_stack) {
        // All of it is readable, so four at a time.
        while (check - first >= 4) {
            const uint64_t any =
                differs(check[-1]) | differs(check[-2]) | differs(check[-3]) | differs(check[-4]);
            if (any != 0) break;
            check -= 4;
        }
    }
    while (check != first) {
        --check;
        if (differs(*check) != 0) return static_cast<uint32_t>(check - first);
    }
    return no_mismatch;
}

// Takes the steps that an UnwindRule describes. All others take the slow path.
inline StackWalker::Step StackWalker::step(Position& at, UnwindRule rule, StackFrame& frame,
                                           StackReader& stack) {
    const auto offset = static_cast<uint64_t>(rule.cfa_offset());
    const auto save = static_cast<uint64_t>(rule.save_offset());
    uint64_t cfa = 0;
    uint64_t slot = 0;
    if (rule.kind() >= StepKind::sp_keep && rule.kind() <= StepKind::fp_save) [[likely]] {
        cfa = (rule.reads_frame_pointer() ? at.fp : at.sp) + offset;
        slot = rule.keeps_frame_pointer() ? 0 : cfa + save;
    } else if (rule.kind() == StepKind::indirect) {
        if (!stack.can_read(at.fp + offset)) return Step::failed;
        cfa = StackReader::word(at.fp + offset);
        slot = at.fp + save;
    } else {
        // Uses a copy, member by member, so that the walk can keep its own position in registers.
        Position odd{at.pc, at.sp, at.fp, at.is_exact};
        const Step result = step_otherwise(odd, frame, stack);
        at.pc = odd.pc;
        at.sp = odd.sp;
        at.fp = odd.fp;
        at.is_exact = odd.is_exact;
        return result;
    }
    if (cfa <= at.sp || !stack.can_read(cfa - 8)) [[unlikely]]
        return Step::failed;
    if (slot != 0) {
        if (!stack.can_read(slot)) [[unlikely]]
            return Step::failed;
        at.fp = StackReader::word(slot);
    }
    at.pc = StackReader::word(cfa - 8);
    at.sp = cfa;
    at.is_exact = false;
    frame.fp_slot = slot;
    return at.pc == 0 ? Step::complete : Step::stepped;
}

// Appends the words that must be compared before the frame can be reused, and returns the new end.
// They are read from the back: first the CFA, then the words found at it.
inline StackMemo::Check* StackWalker::add_checks(StackMemo::Check* check, const StackFrame& frame,
                                                 const StackFrame& caller) {
    const StepKind kind = frame.rule.kind();
    if (kind == StepKind::full || kind == StepKind::none) [[unlikely]] {
        if (makes(UnwindCheck::barrier)) *check++ = barrier;
        return check;
    }
    if (frame.fp_slot != 0 && caller.fp_is_live && makes(UnwindCheck::fp_slot)) {
        *check++ = {frame.fp_slot, caller.fp};
    }
    if (makes(UnwindCheck::return_slot)) *check++ = {caller.sp - 8, caller.pc};
    if (kind == StepKind::indirect && makes(UnwindCheck::indirect_slot)) {
        const auto offset = static_cast<uint64_t>(frame.rule.cfa_offset());
        *check++ = {frame.fp + offset, caller.sp};
    }
    return check;
}

// Writes a frame of the memo, completed with facts about its caller, and appends its words to
// compare. Returns the new end.
inline StackMemo::Check* StackWalker::complete(StackFrame& frame, const StackFrame& fresh,
                                               StackMemo::Check* check, const StackMemo& memo) {
    const StackFrame& caller = (&frame)[-1];
    // Member by member, as they were just written. A processor that loads two members at once must
    // wait until both are in its cache.
    frame.pc = fresh.pc;
    frame.sp = fresh.sp;
    frame.fp = fresh.fp;
    frame.fp_slot = fresh.fp_slot;
    frame.rule = fresh.rule;
    frame.kind = fresh.kind;
    frame.fp_is_live =
        frame.rule.reads_frame_pointer() || (frame.rule.keeps_frame_pointer() && caller.fp_is_live);
    check = add_checks(check, frame, caller);
    frame.checks = static_cast<uint32_t>(check - memo.checks);
    return check;
}

// Adds the outermost frame. If the stack is cut there, what lies outside it is not looked at again.
void StackWalker::append_first(StackMemo& memo, const StackFrame& frame, uint32_t depth) {
    StackFrame& copy = memo.frames[0];
    copy = frame;
    copy.fp_is_live = frame.rule.reads_frame_pointer();
    copy.checks = 0;
    // The reason why the stack ends here may change, unless this function has no caller.
    const bool may_go_on = !frame.rule.ends() && !is_remembered_cut(memo, depth);
    if (may_go_on && makes(UnwindCheck::barrier)) memo.checks[copy.checks++] = barrier;
    memo.length = 1;
}

// Removes the `drop` outermost frames, because the stack is deeper than the limit. The others stay
// remembered: their checks move, except those of the new outermost frame, which are about its
// caller.
void StackWalker::shorten(StackMemo& memo, uint32_t drop) {
    memo.kept = 0;
    const uint32_t length = memo.length;
    memo.length -= drop;
    if (memo.length == 0) return;
    const uint32_t gone = memo.frames[drop].checks;
    std::memmove(memo.checks, memo.checks + gone,
                 (memo.frames[length - 1].checks - gone) * sizeof *memo.checks);
    for (uint32_t i = 0; i < memo.length; ++i) {
        memo.frames[i] = memo.frames[i + drop];
        memo.frames[i].checks -= gone;
    }
}

// The memo becomes its `kept` outermost frames and, inside them, the fresh frames.
void StackWalker::keep(StackMemo& memo, uint32_t kept, const StackFrame* fresh_end,
                       uint32_t depth) {
    const auto fresh_count = static_cast<uint32_t>(fresh_end - fresh_);
    memo.length = memo.kept = kept;
    if (kept + fresh_count > depth) [[unlikely]] {
        memo.end = StackEnd::depth;
        // More than needed, so that the next calls find room, and need not move all frames again.
        const uint32_t spare = is_remembered_cut(memo, depth) ? depth / 4 : 0;
        shorten(memo, std::min(kept, kept + fresh_count - depth + spare));
    }
    if (memo.end == StackEnd::depth && !is_remembered_cut(memo, depth)) memo.generation = 0;
    const StackFrame* fresh = fresh_end;
    if (memo.length == 0) append_first(memo, *--fresh, depth);
    StackFrame* frame = memo.frames + memo.length;
    memo.length += static_cast<uint32_t>(fresh - fresh_);
    StackMemo::Check* check = memo.checks + frame[-1].checks;
    while (fresh != fresh_) check = complete(*frame++, *--fresh, check, memo);
}

// Moves remembered frames to the fresh frames: from `top - 1` outward to the frame that the changed
// word `mismatch` belongs to. Up to there the memo is right, except for rbp. An rbp that no frame
// needed was not compared, and may be needed now, so it is read again into `fp`. Returns the new
// end of the fresh frames; the walk goes on from the last of them. Returns nullptr if the stack is
// too deep.
StackFrame* StackWalker::take_over(const StackMemo& memo, uint32_t& top, uint32_t mismatch,
                                   StackFrame* fresh, uint64_t& fp, uint32_t depth) {
    for (;;) {
        if (fresh == fresh_ + depth) return nullptr;
        const StackFrame& known = memo.frames[--top];
        StackFrame& copy = *fresh++;
        copy = known;
        copy.fp = fp;
        ++counts.verified;
        if (mismatch >= (top == 0 ? 0 : memo.frames[top - 1].checks)) {
            copy.kind = NodeKind::native;
            copy.fp_slot = 0;
            return fresh;
        }
        if (known.fp_slot != 0) {
            fp = makes(UnwindCheck::reread_fp) ? StackReader::word(known.fp_slot)
                                               : memo.frames[top - 1].fp;
        }
    }
}

UnwindRule StackWalker::learn_rule(uint64_t pc) {
    const NumberedRule found = find_numbered_rule(pc, *scratch_);
    if (found.number != 0) thread_rules_.add(pc, found.number);
    if (found.is_new) new_[new_count_++] = pc;
    return found.rule;
}

// Rules that this thread has met are valid as long as there was no unload since.
inline void StackWalker::begin_rules(uint64_t generation) {
    if (generation == known_generation_ || !makes(UnwindCheck::generation)) [[likely]]
        return;
    thread_rules_.clear();
    std::memset(static_cast<void*>(ways_out_), 0, ways_out_max * sizeof(KnownWayOut));
    known_generation_ = generation;
}

// `generation` is that of the rules, or 0 while code is being unloaded.
inline UnwindRule StackWalker::rule_at(uint64_t pc, uint64_t generation) {
    const uint16_t number = generation == 0 ? uint16_t{0} : thread_rules_.find(pc);
    return number != 0 ? unwind_rule_of(number) : learn_rule(pc);
}

// Writes the frame at `at`, which no memo contains. Returns its rule.
inline UnwindRule StackWalker::take_frame(StackFrame& frame, const Position& at,
                                          uint64_t generation) {
    // Its rule belongs to this exact instruction, not to the instruction before a return address.
    constexpr UnwindRule exact{StepKind::full};
    const UnwindRule rule = at.is_exact ? exact : rule_at(at.pc, generation);
    const bool is_entry = at.is_exact || rule.kind() == StepKind::made;
    frame.pc = at.pc;
    frame.sp = at.sp;
    frame.fp = at.fp;
    frame.fp_slot = 0;
    frame.rule = rule;
    frame.kind = is_entry ? NodeKind::entry : NodeKind::native;
    return rule;
}

StackMemo* StackWalker::walk(const void* frame, uint32_t depth) {
    if (!prepare(depth)) return nullptr;
    const auto* words = static_cast<const uint64_t*>(frame);
    Position at{words[1], reinterpret_cast<uint64_t>(words + 2), words[0], false};
    StackReader stack(bounds_, at.sp);
    StackMemo* const memo = choose_memo(stack, at.sp);
    if (!preload::prepare(*memo, depth_)) return nullptr;
    ++counts.walks;
    new_count_ = 0;

    const bool unloading = is_unloading() && makes(UnwindCheck::unloading);
    const uint64_t generation = unwind_generation();
    // Frames of the memo below `top` may still be part of this stack.
    const bool is_current = memo->generation == generation ||
                            (!makes(UnwindCheck::generation) && memo->generation != 0);
    uint32_t top = unloading || !is_current || !uses_memo ? 0 : memo->length;
    const uint64_t rules = unloading ? 0 : generation;
    begin_rules(rules);
    memo->generation = rules;
    StackFrame* fresh = fresh_;
    const StackFrame* const fresh_limit = fresh_ + depth;
    for (;;) {
        UnwindRule rule;
        while (memo->frames[int64_t{top} - 1].sp < at.sp) --top;
        // Of a stack that was cut, little is left: the rest may be within the limit now.
        if (top > 0 && is_remembered_cut(*memo, depth) &&
            top + static_cast<uint64_t>(fresh - fresh_) < depth / 2) {
            top = 0;
        }
        if (top > 0 && is_at(memo->frames[top - 1], at)) {
            const uint32_t mismatch = find_mismatch(*memo, top - 1);
            if (mismatch == no_mismatch) {
                counts.verified += top;
                ++counts.splices;
                keep(*memo, top, fresh, depth);
                memo->is_on_own_stack &= stack.stayed_inside();
                return memo;
            }
            ++counts.mismatches;
            uint64_t fp = at.fp;
            fresh = take_over(*memo, top, mismatch, fresh, fp, depth);
            if (fresh == nullptr) break;
            at = {memo->frames[top].pc, memo->frames[top].sp, fp, false};
            rule = memo->frames[top].rule;
        } else {
            if (fresh == fresh_limit) break;
            rule = take_frame(*fresh++, at, rules);
            ++counts.stepped;
            if (at.is_exact && makes(UnwindCheck::signal)) {
                memo->generation = 0;
                top = 0;
            }
        }
        const Step result = step(at, rule, fresh[-1], stack);
        if (result == Step::stepped) continue;
        memo->end = result == Step::complete  ? StackEnd::complete
                    : result == Step::no_data ? StackEnd::no_data
                                              : StackEnd::failed;
        keep(*memo, 0, fresh, depth);
        memo->is_on_own_stack = stack.stayed_inside();
        return memo;
    }
    memo->end = StackEnd::depth;
    keep(*memo, 0, fresh_limit, depth);
    memo->is_on_own_stack = stack.stayed_inside();
    return memo;
}

}  // namespace memtrace::preload
