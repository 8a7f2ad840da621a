// SPDX-License-Identifier: Apache-2.0
#include "preload/stack_parts.h"

#include "preload/chains.h"
#include "preload/lane.h"
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

StackPart part_of(const MergedStack& stack, uint32_t begin, uint32_t count) {
    return {stack.words + begin, stack.paths + begin, stack.kinds + begin, stack.ids + begin,
            count};
}

// Whether the part is the inner end of the chain, or all of it.
[[gnu::hot]] bool is_inner_end(const ChainView& chain, const StackPart& part, uint32_t parent) {
    if (!chain.is_whole() || chain.head.count < part.count) return false;
    const bool is_all = chain.head.count == part.count;
    if ((is_all ? chain.head.parent : chain.id(part.count)) != parent) return false;
    bool same = true;
    for (uint32_t i = 0; i < part.count; ++i) {
        same &= chain.frame(i) == part.word(i);
    }
    return same;
}

void take_ids(const ChainView& chain, const StackPart& part) {
    for (uint32_t i = 0; i < part.count; ++i) part.id(i) = chain.id(i);
}

// Frames that were guessed, or whose rules have no number, are asked for one by one each time.
bool fits_chain(const StackPart& part) {
    for (uint32_t i = 0; i < part.count; ++i) {
        if (part.word(i) >> 48 == 0 && part.kind(i) != NodeKind::python) return false;
    }
    return true;
}

// Whatever will be looked at is asked for at once: memory is what takes the time here.
void prefetch_frames(const StackPart& part) {
    for (uint32_t i = 0; i < part.count; ++i) prefetch_node(part.path(i));
}

void find_or_add_frames(Lane& lane, const StackPart& part, uint32_t parent) {
    for (uint32_t i = part.count; i-- > 0;) {
        part.id(i) = parent =
            find_or_add_node(lane, parent, part.word(i) & node_address_mask, part.kind(i),
                             part.path(i));
    }
}

}  // namespace

[[gnu::hot]] NamedPart name_part(Lane& lane, const StackPart& part, uint32_t depth,
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
    const uint64_t stacks = names.walker.counts.stacks() + names.transcripts.hits();
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

// Where a chain was found as expected nobody asked for paths, so some further out may be unknown.
[[gnu::hot]] void find_paths(MergedStack& stack, StackEnd stack_end, uint32_t begin,
                             uint32_t end) {
    while (begin > 0 && stack.paths[begin - 1] == 0) --begin;
    uint64_t path = begin == 0 ? root_path(stack_end) : stack.paths[begin - 1];
    for (; begin < end; ++begin) {
        path = path_hash(path, stack.words[begin], stack.kinds[begin]);
        stack.paths[begin] = path;
    }
}

// Where the elements are too many for one chain it is the innermost one that is full: it tells the
// next walk which frames to expect.
[[gnu::hot]] void name_elements(Lane& lane, MergedStack& stack, uint32_t begin,
                                 const StackMemo& memo) {
    ChainTable& chains = lane.stacks().chains;
    uint32_t parent = begin == 0 ? root_of(lane, memo.end) : stack.ids[begin - 1];
    uint32_t count = (stack.length - begin - 1) % expected_frames_max + 1;
    uint32_t inner_parts = (stack.length - begin - 1) / expected_frames_max;
    const ExpectedChains expected = chains.all_expected();
    uint32_t outer_place = ChainTable::no_place;
    for (; begin < stack.length; begin += count, count = expected_frames_max, --inner_parts) {
        const StackPart part = part_of(stack, begin, count);
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
            find_paths(stack, memo.end, begin, begin + count);
            place = name_part(lane, part, is_innermost ? memo.length : 0, parent).place;
        }
        if (place != ChainTable::no_place && outer_place != ChainTable::no_place) {
            chains.link(place, outer_place);
        }
        outer_place = place;
        parent = part.id(0);
    }
}

uint32_t name_cut(Lane& lane, Cut why, uint64_t address) {
    return add_below(lane, cut_root(lane, why), address, NodeKind::native).id;
}

}  // namespace memtrace::preload
