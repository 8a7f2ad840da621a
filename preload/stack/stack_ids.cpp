// SPDX-License-Identifier: Apache-2.0
#include "preload/stack/stack_ids.h"

#include "preload/stack/stack_table.h"
#include "preload/writer/lane.h"

namespace memtrace::preload {
namespace {

// A node and the hash of the path to it.
struct Place {
    uint32_t id;
    uint64_t path;
};

Place add_below(Lane& lane, const Place& parent, uint64_t address, NodeKind kind) {
    const uint64_t path = stack_hash(parent.path, address, kind);
    return {find_or_add_node(lane, parent.id, address, kind, path), path};
}

// `root` is root_hash().
Place cut_root(Lane& lane, Cut why, uint64_t root) {
    return add_below(lane, {no_stack, root}, static_cast<uint64_t>(why), NodeKind::truncated);
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

// Returns the parent of the outermost frame.
uint32_t root_of(Lane& lane, StackEnd end, uint64_t root) {
    return end == StackEnd::complete ? no_stack : cut_root(lane, cut_of(end), root).id;
}

uint64_t root_path(StackEnd end, uint64_t root) {
    if (end == StackEnd::complete) return root;
    return stack_hash(root, static_cast<uint64_t>(cut_of(end)), NodeKind::truncated);
}

}  // namespace

[[gnu::hot]] void find_hashes(MergedStack& stack, StackEnd stack_end, uint32_t begin) {
    uint64_t path = begin == 0 ? root_path(stack_end, stack.root) : stack.paths[begin - 1];
    for (; begin < stack.length; ++begin) {
        path = stack_hash(path, stack.words[begin]);
        stack.paths[begin] = path;
    }
}

[[gnu::hot]] void name_elements(Lane& lane, MergedStack& stack, uint32_t begin,
                                const StackMemo& memo) {
    find_hashes(stack, memo.end, begin);
    const uint32_t parent = begin == 0 ? root_of(lane, memo.end, stack.root) : stack.ids[begin - 1];
    find_or_add_nodes(
        lane, parent,
        {stack.words + begin, stack.paths + begin, stack.ids + begin, stack.length - begin});
}

uint32_t name_cut(Lane& lane, Cut why, uint64_t address) {
    return add_below(lane,
                     cut_root(lane, why, root_hash(stack_table_generation(), lane.own_stacks())),
                     address, NodeKind::native)
        .id;
}

}  // namespace memtrace::preload
