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
    return {stack.words + begin, stack.paths + begin, stack.ids + begin, count};
}

[[gnu::hot]] bool is_about(const ChainView& chain, const StackPart& part, uint32_t parent) {
    if (!chain.is_whole() || chain.head.count != part.count) return false;
    bool same = chain.head.parent == parent;
    for (uint32_t i = 0; i < part.count; ++i) {
        same &= chain.frame(i) == part.word(i);
    }
    return same;
}

void take_ids(const ChainView& chain, const StackPart& part) {
    for (uint32_t i = 0; i < part.count; ++i) part.id(i) = chain.id(i);
}

// Whatever will be looked at is asked for at once: memory is what takes the time here.
void prefetch_frames(const StackPart& part) {
    for (uint32_t i = 0; i < part.count; ++i) prefetch_node(part.path(i));
}

void find_or_add_frames(Lane& lane, const StackPart& part, uint32_t parent) {
    for (uint32_t i = part.count; i-- > 0;) {
        part.id(i) = parent =
            find_or_add_node(lane, parent, part.word(i) & node_address_mask,
                             kind_of(part.word(i)), part.path(i));
    }
}

}  // namespace

[[gnu::hot]] bool name_part(Lane& lane, const StackPart& part, uint32_t parent,
                            bool is_innermost) {
    StackNames& names = lane.stacks();
    ChainTable& chains = names.chains;
    const uint64_t path = part.path(0);
    chains.prefetch(path, part.count);
    // Unknown stacks come many in a row: then nodes are on their way while chains are looked at.
    const bool is_likely_unknown = names.unknown_parts >= 2;
    if (is_likely_unknown) prefetch_frames(part);
    const bool is_known = chains.find(path, is_innermost, [&](const ChainView& chain) {
        if (!is_about(chain, part, parent)) return false;
        take_ids(chain, part);
        return true;
    });
    if (is_known) {
        names.unknown_parts = 0;
        return true;
    }
    if (!is_likely_unknown) prefetch_frames(part);
    ++names.unknown_parts;
    const uint32_t nodes = node_count();
    find_or_add_frames(lane, part, parent);
    // Below a new node all are new.
    const bool is_back = part.id(0) <= nodes;
    const uint64_t stacks = names.walker.counts.walks + names.transcripts.hits();
    const auto fill = [&](const ChainView& chain) {
        chain.head.parent = parent;
        for (uint32_t i = 0; i < part.count; ++i) {
            chain.frame(i) = part.word(i);
            chain.id(i) = part.id(i);
        }
    };
    chains.add(path, part.count, is_innermost, is_back, stacks, fill);
    return false;
}

[[gnu::hot]] void find_paths(MergedStack& stack, StackEnd stack_end, uint32_t begin) {
    uint64_t path = begin == 0 ? root_path(stack_end) : stack.paths[begin - 1];
    for (; begin < stack.length; ++begin) {
        path = path_hash(path, stack.words[begin]);
        stack.paths[begin] = path;
    }
}

// Where the elements are too many for one chain it is the innermost one that is full: stacks differ
// near their inner ends.
[[gnu::hot]] void name_elements(Lane& lane, MergedStack& stack, uint32_t begin,
                                 const StackMemo& memo) {
    find_paths(stack, memo.end, begin);
    uint32_t parent = begin == 0 ? root_of(lane, memo.end) : stack.ids[begin - 1];
    uint32_t count = (stack.length - begin - 1) % chain_frames_max + 1;
    for (; begin < stack.length; begin += count, count = chain_frames_max) {
        const StackPart part = part_of(stack, begin, count);
        name_part(lane, part, parent, begin + count == stack.length);
        parent = part.id(0);
    }
}

uint32_t name_cut(Lane& lane, Cut why, uint64_t address) {
    return add_below(lane, cut_root(lane, why), address, NodeKind::native).id;
}

}  // namespace memtrace::preload
