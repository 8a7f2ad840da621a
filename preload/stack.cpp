// SPDX-License-Identifier: Apache-2.0
#include "preload/stack.h"

#include "preload/autograd_node.h"
#include "preload/expected_stack.h"
#include "preload/lane.h"
#include "preload/options.h"
#include "preload/python_record.h"
#include "preload/python_runtime.h"
#include "preload/rule_table.h"
#include "preload/stack_parts.h"
#include "preload/stack_table.h"

namespace memtrace::preload {
namespace {

// What the thread's Python walk kept is about its last stack. A memo of another fiber is not.
[[gnu::noinline, gnu::hot]] PythonStack walk_interpreter(Lane& lane, const StackMemo& memo) {
    StackNames& names = lane.stacks();
    note_python_status(lane);
    if (names.last_memo != &memo) names.python.forget();
    names.last_memo = &memo;
    PythonStack pythons = names.python.walk();
    // Since frames were merged, not only since the last walk.
    if (pythons.kept > names.python_kept) pythons.kept = names.python_kept;
    names.python_kept = pythons.kept;
    names.pythons = pythons;
    return pythons;
}

[[gnu::always_inline]] inline PythonStack walk_python(Lane& lane, const StackMemo& memo) {
    if (python_state() == PythonState::none) return {};
    return walk_interpreter(lane, memo);
}

// ---- stacks near the last one -------------------------------------------------------------------

// The id of a stack whose inner frames lie below `parent`, to which `path` leads.
uint32_t name_followed(Lane& lane, const FollowedStack& stack, uint32_t parent, uint64_t path) {
    static constexpr NodeKind native[expected_frames_max] = {};
    static_assert(NodeKind{} == NodeKind::native);
    uint64_t words[expected_frames_max];
    uint64_t paths[expected_frames_max];
    uint32_t ids[expected_frames_max];
    for (uint32_t i = 0; i < stack.count; ++i) {
        words[i] = stack.words[stack.count - 1 - i];
        paths[i] = path = path_hash(path, words[i], NodeKind::native);
    }
    FollowChoice& choice = lane.stacks().follow_choice;
    const StackPart part{words, paths, native, ids, stack.count};
    if (name_part(lane, part, stack.outer + stack.count, parent).was_known) {
        choice.note_known();
    } else {
        choice.note_unknown();
    }
    return ids[stack.count - 1];
}

// How many elements the outer frames of a followed stack come to. 0: not known, or Python's frames
// are others.
[[gnu::always_inline]] inline uint32_t outer_elements(Lane& lane, const FollowedStack& stack) {
    StackNames& names = lane.stacks();
    note_autograd_node(lane, stack);
    const uint32_t elements = stack.memo->numbers[stack.outer - 1];
    const MergedStack& merged = names.merged[StackWalker::own_memo];
    if (python_state() == PythonState::none && merged.gap == PythonGap::unnamed) [[likely]] {
        return elements == stack.outer ? elements : 0;
    }
    if (elements == 0) return 0;
    const PythonStack pythons = walk_python(lane, *stack.memo);
    const uint32_t gaps = merged.gap != PythonGap::unnamed;
    if (elements - stack.outer - gaps != pythons.length || pythons.kept != pythons.length ||
        merged.gap != gap_of(pythons.status)) {
        return 0;
    }
    return elements;
}

// The id of the stack that a memo has just become.
[[gnu::noinline, gnu::hot]] uint32_t name_memo(Lane& lane, const void* frame, uint32_t depth,
                                               StackMemo* memo) {
    StackNames& names = lane.stacks();
    note_autograd_node(lane, memo);
    if (memo == nullptr) return cut_stack(lane, frame, Cut::disabled);
    MergedStack& merged = names.merged[names.walker.place_of(*memo)];
    if (!merged.prepare(depth + PythonWalker::depth_max + 1)) {
        return cut_stack(lane, frame, Cut::disabled);
    }
    const PythonStack pythons = walk_python(lane, *memo);
    const uint32_t kept = unchanged_frames(merged, *memo, pythons);
    if (kept != memo->length) {
        const uint32_t begin = kept == 0 ? 0 : memo->numbers[kept - 1];
        merge_frames(lane, merged, *memo, pythons, kept);
        name_elements(lane, merged, begin, *memo);
    } else {
        // The outer part of the last stack, perhaps: a call in its place, with nothing inside.
        merged.length = memo->numbers[kept - 1];
    }
    names.python_kept = pythons.length;
    names.found = memo;
    return merged.ids[merged.length - 1];
}

// The id of any stack. The walk remembers it.
uint32_t walk_stack(Lane& lane, const void* frame, uint32_t depth, const Expectation& expected) {
    return name_memo(lane, frame, depth, lane.stacks().walker.walk(frame, depth, expected));
}

// A function of its own: only where it runs does what is expected take room on the stack.
[[gnu::noinline]] uint32_t walk_expected(Lane& lane, const void* frame, uint32_t depth,
                                         uint64_t generation) {
    const ExpectedStack expected(lane.stacks().chains, generation);
    return walk_stack(lane, frame, depth, expected.expectation());
}

// The id of a stack that is probably not far from the last one that was merged, and has the same
// frames of Python. Any other is walked.
// `stack` is scratch.
[[gnu::noinline, gnu::hot]] uint32_t follow_stack(Lane& lane, const void* frame, uint32_t depth,
                                                  uint64_t generation, FollowedStack& stack) {
    StackNames& names = lane.stacks();
    const ExpectedStack expected(names.chains, generation);
    if (!names.walker.follow(frame, depth, expected.expectation(), stack)) {
        names.follow_choice.note_far();
        return walk_stack(lane, frame, depth, stack.found(generation));
    }
    const auto remember = [&] {
        return name_memo(lane, frame, depth, names.walker.remember(stack));
    };
    names.follow_choice.note_near();
    if (!stack.is_near() || !names.follow_choice.leaves_memo()) return remember();
    const uint32_t elements = outer_elements(lane, stack);
    if (elements == 0) return remember();
    MergedStack& merged = names.merged[StackWalker::own_memo];
    const uint32_t parent = merged.ids[elements - 1];
    if (stack.count == 0) {
        names.follow_choice.note_remembered();
        return parent;
    }
    const uint32_t known = stack.is_expected ? expected.id_below(parent, stack.count) : no_stack;
    if (known != no_stack) {
        if (names.follow_choice.is_repeated(known) || names.transcripts.is_wanted(known)) {
            return remember();
        }
        names.follow_choice.note_known();
        names.chains.follow_expected();
        return known;
    }
    find_paths(merged, stack.memo->end, elements, elements);
    const uint32_t id = name_followed(lane, stack, parent, merged.paths[elements - 1]);
    return names.follow_choice.is_repeated(id) || names.transcripts.is_wanted(id) ? remember() : id;
}

// The id of a stack that is not among the transcripts.
[[gnu::noinline]] uint32_t find_stack(Lane& lane, const void* frame) {
    StackNames& names = lane.stacks();
    const uint64_t generation = stack_table_generation();
    const uint64_t rule_generation = unwind_generation();
    const auto depth = static_cast<uint32_t>(options.depth);
    if (names.generation != generation || names.rule_generation != rule_generation) {
        names.generation = generation;
        names.rule_generation = rule_generation;
        names.chains.clear();
        names.transcripts.clear();
        names.walker.forget_numbers();
    }
    names.found = nullptr;
    names.pythons = {};
    if (!names.chains.has_lines()) [[unlikely]] return cut_stack(lane, frame, Cut::disabled);
    FollowedStack stack;
    if (names.walker.repeats(frame, depth, stack)) {
        if (const uint32_t elements = outer_elements(lane, stack)) {
            names.follow_choice.note_remembered();
            names.found = stack.memo;
            return names.merged[StackWalker::own_memo].ids[elements - 1];
        }
    } else if (names.follow_choice.tries()) {
        return follow_stack(lane, frame, depth, rule_generation, stack);
    }
    return walk_expected(lane, frame, depth, rule_generation);
}

// Finds it, and makes a transcript of how.
[[gnu::noinline]] uint32_t find_and_note_stack(Lane& lane, const void* frame) {
    if (!options.stacks) return cut_stack(lane, frame, Cut::disabled);
    StackNames& names = lane.stacks();
    const uint32_t id = find_stack(lane, frame);
    names.python.count(names.pythons);
    uint32_t python;
    if (names.transcripts.is_wanted_now(id) && names.found != nullptr &&
        names.python_transcripts.add(names.transcripts, names.pythons, python)) {
        names.transcripts.add(id, frame, *names.found, python);
    }
    return id;
}

}  // namespace

[[gnu::hot]] uint32_t capture_stack(Lane& lane, const void* frame) {
    StackNames& names = lane.stacks();
    if (names.generation == stack_table_generation()) [[likely]] {
        const auto python_holds = [&](uint32_t place) {
            return PythonTranscripts::holds(names.transcripts.arena(), place, names.python);
        };
        const Transcript* const known = names.transcripts.find(frame, python_holds);
        if (known != nullptr) [[likely]] {
            note_autograd_node(lane);
            names.walker.counts.verified += known->frames;
            return known->id;
        }
    }
    return find_and_note_stack(lane, frame);
}

uint32_t cut_stack(Lane& lane, const void* frame, Cut why) {
    const uint64_t caller = frame == nullptr ? 0 : static_cast<const uint64_t*>(frame)[1];
    return name_cut(lane, why, caller);
}

}  // namespace memtrace::preload
