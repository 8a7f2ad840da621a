// SPDX-License-Identifier: Apache-2.0
#include "preload/stack/stack_capture.h"

#include "preload/base/options.h"
#include "preload/python/python_runtime.h"
#include "preload/stack/autograd_node.h"
#include "preload/stack/code_unload.h"
#include "preload/stack/modules.h"
#include "preload/stack/python_code_records.h"
#include "preload/stack/stack_ids.h"
#include "preload/stack/stack_table.h"
#include "preload/unwind/unwind_generation.h"
#include "preload/writer/lane.h"

namespace memtrace::preload {
namespace {

// What the thread's Python walk kept is about its last stack. A memo of another fiber is not.
[[gnu::noinline, gnu::hot]] PythonStack walk_interpreter(Lane& lane, const StackMemo& memo) {
    StackCaptureState& names = lane.stacks();
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

// The id of any stack. The walk remembers it.
[[gnu::noinline, gnu::hot]] uint32_t walk_stack(Lane& lane, const void* frame) {
    StackCaptureState& names = lane.stacks();
    const auto depth = static_cast<uint32_t>(options.depth);
    StackMemo* const memo = names.walker.walk(frame, depth);
    note_autograd_node(lane, memo);
    if (memo == nullptr) return cut_stack(lane, frame, Cut::disabled);
    for (const uint64_t address : names.walker.new_addresses()) {
        if (!another_module_is_at(address - 1)) continue;
        forget_code_that_went_unseen();
        break;
    }
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

// The id of a stack that is not among the cached stacks.
[[gnu::noinline]] uint32_t find_stack(Lane& lane, const void* frame) {
    StackCaptureState& names = lane.stacks();
    const uint64_t generation = stack_table_generation();
    const uint64_t rule_generation = unwind_generation();
    if (names.generation != generation || names.rule_generation != rule_generation) {
        names.generation = generation;
        names.rule_generation = rule_generation;
        names.stack_cache.clear();
        names.walker.forget_numbers();
    }
    names.found = nullptr;
    names.pythons = {};
    return walk_stack(lane, frame);
}

// Finds it, and makes a cached stack of how.
[[gnu::noinline]] uint32_t find_and_note_stack(Lane& lane, const void* frame) {
    if (!options.stacks) return cut_stack(lane, frame, Cut::disabled);
    StackCaptureState& names = lane.stacks();
    const uint32_t id = find_stack(lane, frame);
    names.python.count(names.pythons);
    uint32_t python;
    if (names.stack_cache.is_wanted(id) && names.found != nullptr &&
        names.python_stack_cache.add(names.stack_cache, names.pythons, python)) {
        names.stack_cache.add(id, frame, *names.found, python);
    }
    return id;
}

}  // namespace

[[gnu::hot]] uint32_t capture_stack(Lane& lane, const void* frame) {
    StackCaptureState& names = lane.stacks();
    if (names.generation == stack_table_generation()) [[likely]] {
        const auto python_holds = [&](uint32_t place) {
            return PythonStackCache::holds(names.stack_cache.arena(), place, names.python);
        };
        const CachedStack* const known = names.stack_cache.find(frame, python_holds);
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
