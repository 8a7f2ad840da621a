// SPDX-License-Identifier: Apache-2.0
#include "preload/stack/stack_capture.h"

#include "preload/base/options.h"
#include "preload/python/python_runtime.h"
#include "preload/stack/code_unload.h"
#include "preload/stack/modules.h"
#include "preload/stack/python_code_records.h"
#include "preload/stack/stack_ids.h"
#include "preload/stack/stack_table.h"
#include "preload/unwind/unwind_generation.h"
#include "preload/writer/lane.h"

namespace memtrace::preload {
namespace {

// What the thread's Python walk kept belongs to the last stack, and not to a memo of another
// fiber.
[[gnu::noinline, gnu::hot]] PythonStack walk_interpreter(Lane& lane, StackCaptureState& state,
                                                         const StackMemo& memo) {
    note_python_status(lane);
    if (state.last_memo != &memo) state.python.forget();
    state.last_memo = &memo;
    PythonStack pythons = state.python.walk();
    // Counted since frames were merged, not only since the last walk.
    if (pythons.kept > state.python_kept) pythons.kept = state.python_kept;
    state.python_kept = pythons.kept;
    state.pythons = pythons;
    return pythons;
}

[[gnu::always_inline]] inline PythonStack walk_python(Lane& lane, StackCaptureState& state,
                                                      const StackMemo& memo) {
    if (python_state() == PythonState::none) return {};
    return walk_interpreter(lane, state, memo);
}

// Returns the id of any stack. The walk remembers the stack.
[[gnu::noinline, gnu::hot]] uint32_t walk_stack(Lane& lane, StackCaptureState& state,
                                                const void* frame) {
    const auto depth = static_cast<uint32_t>(options.depth);
    StackMemo* const memo = state.walker.walk(frame, depth);
    note_autograd_node(lane, *state.autograd, memo);
    if (memo == nullptr) return cut_stack(lane, frame, Cut::disabled);
    for (const uint64_t address : state.walker.new_addresses()) {
        if (!another_module_is_at(address - 1)) continue;
        forget_code_that_went_unseen();
        break;
    }
    MergedStack& merged = state.merged[state.walker.place_of(*memo)];
    if (!merged.prepare(depth + PythonWalker::depth_max + 1)) {
        return cut_stack(lane, frame, Cut::disabled);
    }
    merged.root = root_hash(state.generation, lane.own_stacks());
    const PythonStack pythons = walk_python(lane, state, *memo);
    const uint32_t kept = unchanged_frames(merged, *memo, pythons);
    if (kept != memo->length) {
        const uint32_t begin = merge_frames(lane, merged, *memo, pythons, kept);
        name_elements(lane, merged, begin, *memo);
    } else {
        // The stack is perhaps the outer part of the last stack: a call in the same place, with
        // nothing inside it.
        merged.length = memo->numbers[kept - 1];
    }
    state.python_kept = pythons.length;
    state.found = memo;
    return merged.ids[merged.length - 1];
}

// Returns the id of a stack that is not in the stack cache.
[[gnu::noinline]] uint32_t find_stack(Lane& lane, StackCaptureState& state, const void* frame) {
    const uint64_t generation = stack_table_generation();
    const uint64_t rule_generation = unwind_generation();
    if (state.generation != generation || state.rule_generation != rule_generation) {
        state.generation = generation;
        state.rule_generation = rule_generation;
        state.stack_cache.clear();
        state.walker.forget_numbers();
    }
    state.found = nullptr;
    state.pythons = {};
    return walk_stack(lane, state, frame);
}

// Finds the stack's id, and adds the stack to the stack cache.
[[gnu::noinline]] uint32_t find_and_note_stack(Lane& lane, StackCaptureState& state,
                                               const void* frame) {
    if (!options.stacks) return cut_stack(lane, frame, Cut::disabled);
    const uint32_t id = find_stack(lane, state, frame);
    state.python.count(state.pythons);
    uint32_t python;
    if (state.stack_cache.is_wanted(id) && state.found != nullptr &&
        state.python_stack_cache.add(state.stack_cache, state.pythons, python)) {
        state.stack_cache.add(id, frame, *state.found, python);
    } else {
        state.stack_cache.go_on_from(id, frame);
    }
    return id;
}

}  // namespace

[[gnu::hot]] uint32_t capture_stack(Lane& lane, StackCaptureState& state, const void* frame) {
    if (state.generation == stack_table_generation()) [[likely]] {
        const auto python_holds = [&](uint32_t place) {
            return PythonStackCache::holds(state.stack_cache.arena(), place, state.python);
        };
        const CachedStack* const known = state.stack_cache.find(frame, python_holds);
        if (known != nullptr) [[likely]] {
            note_autograd_node(lane, *state.autograd);
            state.walker.counts.verified += known->frames;
            return known->id;
        }
    }
    return find_and_note_stack(lane, state, frame);
}

uint32_t cut_stack(Lane& lane, const void* frame, Cut why) {
    const uint64_t caller = frame == nullptr ? 0 : static_cast<const uint64_t*>(frame)[1];
    return name_cut(lane, why, caller);
}

}  // namespace memtrace::preload
