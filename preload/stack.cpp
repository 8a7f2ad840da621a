// SPDX-License-Identifier: Apache-2.0
#include "preload/stack.h"

#include <cstring>

#include "preload/lane.h"
#include "preload/options.h"
#include "preload/stack_table.h"
#include "preload/sys.h"

namespace memtrace::preload {
namespace {

constexpr unsigned chain_bits_first = 7;
constexpr unsigned chain_bits_max = 13;

uint32_t cut_root(Lane& lane, Cut why) {
    return find_or_add_node(lane, no_stack, static_cast<uint64_t>(why), NodeKind::truncated);
}

// The node that the outermost frame hangs below.
uint32_t root_of(Lane& lane, StackEnd end) {
    switch (end) {
        case StackEnd::complete: break;
        case StackEnd::depth: return cut_root(lane, Cut::depth);
        case StackEnd::no_data: return cut_root(lane, Cut::no_data);
        case StackEnd::failed: return cut_root(lane, Cut::failed);
    }
    return no_stack;
}

uint32_t find_or_add_frames(Lane& lane, uint32_t parent, const StackFrame* frames,
                            uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        parent = find_or_add_node(lane, parent, frames[i].pc, frames[i].kind);
    }
    return parent;
}

// The id of up to frames_max frames below `parent`.
uint32_t name_chain(Lane& lane, uint32_t parent, const StackFrame* frames, uint32_t count) {
    ChainTable::Chain chain;
    chain.parent = parent;
    for (uint32_t i = 0; i < count; ++i) chain.frames[i] = ChainTable::word_of(frames[i]);
    ChainTable& chains = lane.stacks().chains;
    ChainTable::Chain* place = chains.place_of(chain);
    if (place != nullptr && place->id != 0 && place->parent == parent &&
        std::memcmp(place->frames, chain.frames, sizeof chain.frames) == 0) {
        return place->id;
    }
    chain.id = find_or_add_frames(lane, parent, frames, count);
    if (place != nullptr && chain.id != no_stack) chains.put(place, chain);
    return chain.id;
}

// Names the frames [begin, end) of a memo, of which those before `begin` have names. The innermost
// of them gets its id written down; those between stay without until they are asked for.
void name_frames(Lane& lane, StackMemo& memo, uint32_t begin, uint32_t end) {
    uint32_t id = begin == 0 ? root_of(lane, memo.end) : memo.ids[begin - 1];
    while (begin < end) {
        const uint32_t count =
            end - begin < ChainTable::frames_max ? end - begin : ChainTable::frames_max;
        id = name_chain(lane, id, memo.frames + begin, count);
        begin += count;
        memo.ids[begin - 1] = id;
    }
}

}  // namespace

ChainTable::Chain* ChainTable::place_of(const Chain& chain) {
    if (chains_ == nullptr && !grow()) return nullptr;
    uint64_t hash = chain.parent * 0x9e3779b97f4a7c15u;
    for (const uint64_t frame : chain.frames) {
        if (frame == 0) break;
        hash = ((hash ^ hash >> 29) + frame) * 0xd6e8feb86659fd93u;
    }
    return chains_ + (hash >> (64 - bits_));
}

void ChainTable::put(Chain* place, const Chain& chain) {
    *place = chain;
    // As many as there are places have been written: many were overwritten.
    if (++written_ >> bits_ != 0 && bits_ < chain_bits_max) grow();
}

// What is in the smaller table is not taken along: it comes back when it is needed.
bool ChainTable::grow() {
    const unsigned bits = chains_ == nullptr ? chain_bits_first : bits_ + 2;
    void* fresh = sys::map_private(sizeof(Chain) << bits);
    if (fresh == nullptr) return chains_ != nullptr;
    if (chains_ != nullptr) sys::unmap(chains_, sizeof(Chain) << bits_);
    chains_ = static_cast<Chain*>(fresh);
    bits_ = bits;
    written_ = 0;
    return true;
}

void ChainTable::clear() {
    if (chains_ != nullptr) std::memset(static_cast<void*>(chains_), 0, sizeof(Chain) << bits_);
    written_ = 0;
}

uint32_t cut_stack(Lane& lane, const void* frame, Cut why) {
    const uint64_t caller = frame == nullptr ? 0 : static_cast<const uint64_t*>(frame)[1];
    return find_or_add_node(lane, cut_root(lane, why), caller, NodeKind::native);
}

uint32_t capture_stack(Lane& lane, const void* frame) {
    if (!options.stacks) return cut_stack(lane, frame, Cut::disabled);
    StackNames& names = lane.stacks();
    StackMemo* const memo = names.walker.walk(frame, static_cast<uint32_t>(options.depth));
    if (memo == nullptr) return cut_stack(lane, frame, Cut::disabled);
    const uint64_t generation = stack_table_generation();
    if (names.generation != generation) {
        names.generation = generation;
        names.chains.clear();
        names.walker.forget_ids();
    }
    // Nearly always the frame where the new ones begin has an id. If not, then one further out has,
    // or none at all.
    uint32_t* const ids = memo->ids;
    const uint32_t kept = memo->kept;
    const uint32_t length = memo->length;
    uint32_t named = kept;
    while (named > 0 && ids[named - 1] == 0) --named;
    for (uint32_t i = kept; i < length; ++i) ids[i] = 0;
    name_frames(lane, *memo, named, kept);
    name_frames(lane, *memo, kept, length);
    return ids[length - 1];
}

}  // namespace memtrace::preload
