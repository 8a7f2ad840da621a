// SPDX-License-Identifier: Apache-2.0
#include "preload/stack.h"

#include "preload/autograd_node.h"
#include "preload/expected_stack.h"
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

// Whether the part is the inner end of the chain, or all of it.
[[gnu::hot]] bool is_inner_end(const ChainView& chain, const Part& part, uint32_t parent) {
    if (!chain.is_whole() || chain.head.count < part.count) return false;
    const bool is_all = chain.head.count == part.count;
    if ((is_all ? chain.head.parent : chain.id(part.count)) != parent) return false;
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

struct Named {
    bool     was_known;  // a chain had the frames
    uint32_t place;      // of their chain; ChainTable::no_place: they have none
};

// Gives the frames of the part their ids. `depth`: how many native frames the stack has if the part
// is its innermost one; else 0.
[[gnu::hot]] Named name_part(Lane& lane, const Part& part, uint32_t depth,
                              uint32_t parent) {
    StackNames& names = lane.stacks();
    ChainTable& chains = names.chains;
    const uint64_t path = part.path(0);
    const bool is_innermost = depth != 0;
    chains.prefetch(path, part.count);
    // Unknown stacks come many in a row: then nodes are on their way while chains are looked at.
    const bool is_likely_unknown = names.unknown_parts >= 2;
    if (is_likely_unknown) prefetch_frames(part);
    if (!fits_chain(part)) {
        find_or_add_frames(lane, part, parent);
        return {false, ChainTable::no_place};
    }
    const uint32_t found = chains.find(path, is_innermost, [&](const ChainView& chain) {
        if (chain.head.count != part.count || !is_inner_end(chain, part, parent)) return false;
        take_ids(chain, part);
        if (is_innermost) chain.note_depth(depth);
        return true;
    });
    if (found != ChainTable::no_place) {
        names.unknown_parts = 0;
        return {true, found};
    }
    if (!is_likely_unknown) prefetch_frames(part);
    ++names.unknown_parts;
    const uint32_t nodes = node_count();
    find_or_add_frames(lane, part, parent);
    // Below a new node all are new.
    const bool is_back = part.id(0) <= nodes;
    const uint64_t stacks = names.walker.counts.stacks();
    const auto fill = [&](const ChainView& chain) {
        chain.head.parent = parent;
        chain.note_depth(depth);
        for (uint32_t i = 0; i < part.count; ++i) {
            chain.frame(i) = part.word(i);
            chain.id(i) = part.id(i);
        }
    };
    return {false, chains.add(path, part.count, is_innermost, is_back, stacks, fill)};
}

// Makes the paths of the elements [begin, end) known; 0 stands for one that is not. Where a chain
// was found as expected nobody asked for them, so some further out may be unknown as well.
[[gnu::hot]] void find_paths(MergedStack& stack, uint64_t root, uint32_t begin,
                              uint32_t end) {
    while (begin > 0 && stack.paths[begin - 1] == 0) --begin;
    uint64_t path = begin == 0 ? root : stack.paths[begin - 1];
    for (; begin < end; ++begin) {
        path = path_hash(path, stack.words[begin], stack.kinds[begin]);
        stack.paths[begin] = path;
    }
}

// Gives ids to the elements from `begin` inward. Where they are too many for one chain it is the
// innermost one that is full: it tells the next walk which frames to expect.
[[gnu::hot]] void name_elements(Lane& lane, MergedStack& stack, uint32_t begin,
                                 const StackMemo& memo) {
    ChainTable& chains = lane.stacks().chains;
    uint32_t parent = begin == 0 ? root_of(lane, memo.end) : stack.ids[begin - 1];
    uint32_t count = (stack.length - begin - 1) % expected_frames_max + 1;
    uint32_t inner_parts = (stack.length - begin - 1) / expected_frames_max;
    const ExpectedChains expected = chains.all_expected();
    uint32_t outer_place = ChainTable::no_place;
    for (; begin < stack.length; begin += count, count = expected_frames_max, --inner_parts) {
        const Part part = part_of(stack, begin, count);
        const bool is_innermost = inner_parts == 0;
        uint32_t place = ChainTable::no_place;
        if (inner_parts < expected.count &&
            is_inner_end(chains.at(expected.places[inner_parts]), part, parent)) {
            place = expected.places[inner_parts];
            take_ids(chains.at(place), part);
            for (uint32_t i = 0; i < count; ++i) stack.paths[begin + i] = 0;
            if (is_innermost) chains.follow_expected();
            else chains.mark_used(place);
        } else {
            find_paths(stack, root_path(memo.end), begin, begin + count);
            place = name_part(lane, part, is_innermost ? memo.length : 0, parent).place;
        }
        if (place != ChainTable::no_place && outer_place != ChainTable::no_place) {
            chains.link(place, outer_place);
        }
        outer_place = place;
        parent = part.id(0);
    }
}

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
    const Part part{words, paths, native, ids, stack.count};
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
    names.python.count(pythons);
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
    names.python.count(pythons);
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
        if (names.follow_choice.is_repeated(known)) return remember();
        names.follow_choice.note_known();
        names.chains.follow_expected();
        return known;
    }
    find_paths(merged, root_path(stack.memo->end), elements, elements);
    const uint32_t id = name_followed(lane, stack, parent, merged.paths[elements - 1]);
    return names.follow_choice.is_repeated(id) ? remember() : id;
}

}  // namespace

uint32_t cut_stack(Lane& lane, const void* frame, Cut why) {
    const uint64_t caller = frame == nullptr ? 0 : static_cast<const uint64_t*>(frame)[1];
    return add_below(lane, cut_root(lane, why), caller, NodeKind::native).id;
}

[[gnu::hot]] uint32_t capture_stack(Lane& lane, const void* frame) {
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
    if (!names.chains.has_lines()) [[unlikely]] return cut_stack(lane, frame, Cut::disabled);
    FollowedStack stack;
    if (names.walker.repeats(frame, depth, stack)) {
        if (const uint32_t elements = outer_elements(lane, stack)) {
            names.follow_choice.note_remembered();
            return names.merged[StackWalker::own_memo].ids[elements - 1];
        }
    } else if (names.follow_choice.tries()) {
        return follow_stack(lane, frame, depth, rule_generation, stack);
    }
    return walk_expected(lane, frame, depth, rule_generation);
}

}  // namespace memtrace::preload
