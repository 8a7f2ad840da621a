// SPDX-License-Identifier: Apache-2.0
#include "preload/stack.h"

#include "preload/autograd_node.h"
#include "preload/lane.h"
#include "preload/options.h"
#include "preload/python_record.h"
#include "preload/python_runtime.h"
#include "preload/rule_table.h"
#include "preload/stack_table.h"

namespace memtrace::preload {
namespace {

// A node and the hash of the path to it.
struct Place {
    uint32_t id;
    uint64_t path;
};

Place add_below(Lane& lane, const Place& parent, uint64_t address, NodeKind kind) {
    const uint64_t path = path_hash(parent.path, address, kind);
    return {find_or_add_node(lane, parent.id, address, kind, path), path};
}

Place cut_root(Lane& lane, Cut why) {
    return add_below(lane, {no_stack, 0}, static_cast<uint64_t>(why), NodeKind::truncated);
}

Cut cut_of(StackEnd end) {
    switch (end) {
        case StackEnd::depth: return Cut::depth;
        case StackEnd::no_data: return Cut::no_data;
        case StackEnd::complete:
        case StackEnd::failed: break;
    }
    return Cut::failed;
}

// What the outermost frame hangs below.
uint32_t root_of(Lane& lane, StackEnd end) {
    return end == StackEnd::complete ? no_stack : cut_root(lane, cut_of(end)).id;
}

uint64_t root_path(StackEnd end) {
    if (end == StackEnd::complete) return 0;
    return path_hash(0, static_cast<uint64_t>(cut_of(end)), NodeKind::truncated);
}

// ---- chains -------------------------------------------------------------------------------------

// The part of a stack that a chain is about: `count` elements, outermost first. A chain begins with
// the innermost one.
struct Part {
    const uint64_t* words;
    const uint64_t* paths;
    const NodeKind* kinds;
    uint32_t*       ids;
    uint32_t        count;

    uint64_t word(uint32_t i) const { return words[count - 1 - i]; }
    uint64_t path(uint32_t i) const { return paths[count - 1 - i]; }
    NodeKind kind(uint32_t i) const { return kinds[count - 1 - i]; }
    uint32_t& id(uint32_t i) const { return ids[count - 1 - i]; }
};

Part part_of(const MergedStack& stack, uint32_t begin, uint32_t count) {
    return {stack.words + begin, stack.paths + begin, stack.kinds + begin, stack.ids + begin,
            count};
}

bool is_same(const ChainView& chain, const Part& part, uint32_t parent) {
    if (!chain.is_whole() || chain.head.parent != parent || chain.head.count != part.count) {
        return false;
    }
    bool same = true;
    for (uint32_t i = 0; i < part.count; ++i) {
        same &= chain.frame(i) == part.word(i);
    }
    return same;
}

void take_ids(const ChainView& chain, const Part& part) {
    for (uint32_t i = 0; i < part.count; ++i) part.id(i) = chain.id(i);
}

// Frames that were guessed, or whose rules have no number, are asked for one by one each time.
bool fits_chain(const Part& part) {
    for (uint32_t i = 0; i < part.count; ++i) {
        if (part.word(i) >> 48 == 0 && part.kind(i) != NodeKind::python) return false;
    }
    return true;
}

// Whatever will be looked at is asked for at once: memory is what takes the time here.
void prefetch_frames(const Part& part) {
    for (uint32_t i = 0; i < part.count; ++i) prefetch_node(part.path(i));
}

void find_or_add_frames(Lane& lane, const Part& part, uint32_t parent) {
    for (uint32_t i = part.count; i-- > 0;) {
        part.id(i) = parent =
            find_or_add_node(lane, parent, part.word(i) & node_address_mask, part.kind(i),
                             part.path(i));
    }
}

// Gives the frames of the part their ids. False: no chain had them.
bool name_part(Lane& lane, const Part& part, bool is_innermost, uint32_t parent) {
    StackNames& names = lane.stacks();
    ChainTable& chains = names.chains;
    const uint64_t path = part.path(0);
    chains.prefetch(path, part.count);
    // Unknown stacks come many in a row: then nodes are on their way while chains are looked at.
    if (names.is_unknown) prefetch_frames(part);
    if (!fits_chain(part)) {
        find_or_add_frames(lane, part, parent);
        return false;
    }
    const bool found = chains.find(path, is_innermost, [&](const ChainView& chain) {
        if (!is_same(chain, part, parent)) return false;
        take_ids(chain, part);
        return true;
    });
    if (found) {
        names.is_unknown = false;
        return true;
    }
    if (!names.is_unknown) prefetch_frames(part);
    names.is_unknown = true;
    const uint32_t nodes = node_count();
    find_or_add_frames(lane, part, parent);
    // Below a new node all are new.
    const bool is_back = part.id(0) <= nodes;
    const uint64_t stacks = names.walker.counts.stacks();
    chains.add(path, part.count, is_innermost, is_back, stacks, [&](const ChainView& chain) {
        chain.head.parent = parent;
        for (uint32_t i = 0; i < part.count; ++i) {
            chain.frame(i) = part.word(i);
            chain.id(i) = part.id(i);
        }
    });
    return false;
}

// Makes the paths of the elements [begin, end) known; 0 stands for one that is not. Where a chain
// was found as expected nobody asked for them, so some further out may be unknown as well.
void find_paths(MergedStack& stack, uint64_t root, uint32_t begin, uint32_t end) {
    while (begin > 0 && stack.paths[begin - 1] == 0) --begin;
    uint64_t path = begin == 0 ? root : stack.paths[begin - 1];
    for (; begin < end; ++begin) {
        path = path_hash(path, stack.words[begin], stack.kinds[begin]);
        stack.paths[begin] = path;
    }
}

// Gives ids to the elements from `begin` inward. Where they are too many for one chain it is the
// innermost one that is full: it tells the next walk which frames to expect.
void name_elements(Lane& lane, MergedStack& stack, uint32_t begin, StackEnd outer_end) {
    ChainTable& chains = lane.stacks().chains;
    uint32_t parent = begin == 0 ? root_of(lane, outer_end) : stack.ids[begin - 1];
    uint32_t count = (stack.length - begin - 1) % expected_frames_max + 1;
    for (; begin < stack.length; begin += count, count = expected_frames_max) {
        const Part part = part_of(stack, begin, count);
        const bool is_innermost = begin + count == stack.length;
        const ChainView expected = chains.expected();
        if (is_innermost && is_same(expected, part, parent)) {
            take_ids(expected, part);
            for (uint32_t i = 0; i < count; ++i) stack.paths[begin + i] = 0;
            chains.follow_expected();
            return;
        }
        find_paths(stack, root_path(outer_end), begin, begin + count);
        name_part(lane, part, is_innermost, parent);
        parent = part.id(0);
    }
}

// What the thread's Python walk kept is about its last stack. A memo of another fiber is not.
[[gnu::noinline]] PythonStack walk_interpreter(Lane& lane, const StackMemo& memo) {
    StackNames& names = lane.stacks();
    note_python_status(lane);
    if (names.last_memo != &memo) names.python.forget();
    names.last_memo = &memo;
    PythonStack pythons = names.python.walk();
    // Since frames were merged, not only since the last walk.
    if (pythons.kept > names.python_kept) pythons.kept = names.python_kept;
    names.python_kept = pythons.kept;
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
    if (name_part(lane, {words, paths, native, ids, stack.count}, true, parent)) {
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
    names.python.count(pythons);
    return elements;
}

// The id of a stack that is not far from the last one that was merged. no_stack: it is, or Python's
// frames are others.
[[gnu::noinline]] uint32_t follow_stack(Lane& lane, const void* frame, uint32_t depth,
                                        uint64_t generation) {
    StackNames& names = lane.stacks();
    if (!names.chains.has_lines()) return no_stack;
    const ChainView expected = names.chains.expected();
    FollowedStack stack;
    if (!names.walker.follow(frame, depth, expected.expectation(generation), stack)) {
        names.follow_choice.note_far();
        return no_stack;
    }
    names.follow_choice.note_near();
    const uint32_t elements = outer_elements(lane, stack);
    if (elements == 0) return no_stack;
    MergedStack& merged = names.merged[StackWalker::own_memo];
    const uint32_t parent = merged.ids[elements - 1];
    if (stack.count == 0) {
        names.follow_choice.note_remembered();
        return parent;
    }
    if (stack.is_expected && expected.is_whole() && expected.head.parent == parent) {
        const uint32_t id = expected.id(0);
        if (names.follow_choice.is_repeated(id)) return no_stack;
        names.follow_choice.note_known();
        names.chains.follow_expected();
        return id;
    }
    find_paths(merged, root_path(stack.memo->end), elements, elements);
    const uint32_t id = name_followed(lane, stack, parent, merged.paths[elements - 1]);
    return names.follow_choice.is_repeated(id) ? no_stack : id;
}

// The id of any stack. The walk remembers it.
[[gnu::noinline]] uint32_t walk_stack(Lane& lane, const void* frame, uint32_t depth,
                                      uint64_t rule_generation) {
    StackNames& names = lane.stacks();
    if (!names.chains.has_lines()) return cut_stack(lane, frame, Cut::disabled);
    StackMemo* const memo = names.walker.walk(frame, depth,
                                              names.chains.expected().expectation(rule_generation));
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
        name_elements(lane, merged, begin, memo->end);
    } else {
        // The outer part of the last stack, perhaps: a call in its place, with nothing inside.
        merged.length = memo->numbers[kept - 1];
    }
    names.python_kept = pythons.length;
    names.python.count(pythons);
    return merged.ids[merged.length - 1];
}

}  // namespace

uint32_t cut_stack(Lane& lane, const void* frame, Cut why) {
    const uint64_t caller = frame == nullptr ? 0 : static_cast<const uint64_t*>(frame)[1];
    return add_below(lane, cut_root(lane, why), caller, NodeKind::native).id;
}

uint32_t capture_stack(Lane& lane, const void* frame) {
    if (!options.stacks) return cut_stack(lane, frame, Cut::disabled);
    StackNames& names = lane.stacks();
    const uint64_t generation = stack_table_generation();
    const uint64_t rule_generation = unwind_generation();
    const auto depth = static_cast<uint32_t>(options.depth);
    if (names.generation != generation || names.rule_generation != rule_generation) {
        names.generation = generation;
        names.rule_generation = rule_generation;
        names.chains.clear();
        names.walker.forget_numbers();
    }
    FollowedStack stack;
    if (names.walker.repeats(frame, depth, stack)) {
        if (const uint32_t elements = outer_elements(lane, stack)) {
            names.follow_choice.note_remembered();
            return names.merged[StackWalker::own_memo].ids[elements - 1];
        }
    } else if (names.follow_choice.is_on()) {
        const uint32_t id = follow_stack(lane, frame, depth, rule_generation);
        if (id != no_stack) return id;
    }
    return walk_stack(lane, frame, depth, rule_generation);
}

}  // namespace memtrace::preload
