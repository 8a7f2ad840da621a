// SPDX-License-Identifier: Apache-2.0
#include "preload/stack.h"

#include "preload/lane.h"
#include "preload/options.h"
#include "preload/rule_table.h"
#include "preload/stack_table.h"

namespace memtrace::preload {
namespace {

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

// ---- chains -------------------------------------------------------------------------------------

// The part of a memo that a chain is about: its frames [begin, begin + count).
struct Part {
    StackMemo& memo;
    uint32_t begin;
    uint32_t count;

    const StackFrame& innermost(uint32_t i) const { return memo.frames[begin + count - 1 - i]; }
    uint32_t& id(uint32_t i) const { return memo.ids[begin + count - 1 - i]; }
    uint64_t path(uint32_t i) const { return memo.paths[begin + count - 1 - i]; }
};

bool is_same(const Chain& chain, const Part& part, uint32_t parent) {
    if (chain.parent != parent || chain.ids[0] == 0) return false;
    bool same = part.count == expected_frames_max || chain.frames[part.count] == 0;
    for (uint32_t i = 0; i < part.count; ++i) {
        same &= chain.frames[i] == expected_word(part.innermost(i));
    }
    return same;
}

void take_ids(const Chain& chain, const Part& part) {
    for (uint32_t i = 0; i < part.count; ++i) part.id(i) = chain.ids[i];
}

// Frames that were guessed, or whose rules have no number, are asked for one by one each time.
bool fits_chain(const Part& part) {
    for (uint32_t i = 0; i < part.count; ++i) {
        if (part.innermost(i).rule_number == 0) return false;
    }
    return true;
}

void find_or_add_frames(Lane& lane, const Part& part, uint32_t parent) {
    for (uint32_t i = part.count; i-- > 0;) {
        const StackFrame& frame = part.innermost(i);
        part.id(i) = parent =
            find_or_add_node(lane, parent, frame.pc, frame.kind, part.path(i));
    }
}

void write_chain(Chain& chain, const Part& part, uint32_t parent) {
    chain = {};
    chain.parent = parent;
    for (uint32_t i = 0; i < part.count; ++i) {
        chain.frames[i] = expected_word(part.innermost(i));
        chain.ids[i] = part.id(i);
    }
}

constexpr uint32_t no_place = ~uint32_t{0};

// Gives the frames of the part their ids. Returns the place of their chain, if they have one.
uint32_t name_part(Lane& lane, const Part& part, uint32_t parent) {
    StackNames& names = lane.stacks();
    // Whatever will be looked at is asked for at once: memory is what takes the time here.
    const uint32_t place = names.chains.place_of(part.path(0));
    names.chains.prefetch(place);
    for (uint32_t i = 0; i < part.count; ++i) prefetch_node(part.path(i));
    if (!fits_chain(part)) {
        find_or_add_frames(lane, part, parent);
        return no_place;
    }
    if (is_same(names.chains[place], part, parent)) {
        take_ids(names.chains[place], part);
        return place;
    }
    find_or_add_frames(lane, part, parent);
    write_chain(names.chains[place], part, parent);
    names.chains.note_write();
    return place;
}

// Makes the paths of the frames [begin, end) known; 0 stands for one that is not. Where a chain was
// found as expected nobody asked for them, so some further out may be unknown as well.
void find_paths(StackMemo& memo, uint32_t begin, uint32_t end) {
    while (begin > 0 && memo.paths[begin - 1] == 0) --begin;
    uint64_t path = begin == 0 ? static_cast<uint64_t>(memo.end) : memo.paths[begin - 1];
    for (; begin < end; ++begin) {
        memo.paths[begin] = path = path_hash(path, memo.frames[begin].pc);
    }
}

// Gives ids to the frames of the memo from `begin` inward.
void name_frames(Lane& lane, StackMemo& memo, uint32_t begin) {
    StackNames& names = lane.stacks();
    uint32_t parent = begin == 0 ? root_of(lane, memo.end) : memo.ids[begin - 1];
    const uint32_t next = names.chains[names.last].next;
    uint32_t place = no_place;
    for (uint32_t end = begin; begin < memo.length; begin = end) {
        end = begin + expected_frames_max < memo.length ? begin + expected_frames_max : memo.length;
        const Part part{memo, begin, end - begin};
        if (end == memo.length && is_same(names.chains[next], part, parent)) {
            take_ids(names.chains[next], part);
            for (uint32_t i = begin; i < end; ++i) memo.paths[i] = 0;
            names.last = next;
            return;
        }
        find_paths(memo, begin, end);
        place = name_part(lane, part, parent);
        parent = memo.ids[end - 1];
    }
    if (place == no_place) return;
    names.chains[names.last].next = place;
    names.last = place;
}

}  // namespace

uint32_t cut_stack(Lane& lane, const void* frame, Cut why) {
    const uint64_t caller = frame == nullptr ? 0 : static_cast<const uint64_t*>(frame)[1];
    return find_or_add_node(lane, cut_root(lane, why), caller, NodeKind::native);
}

uint32_t capture_stack(Lane& lane, const void* frame) {
    if (!options.stacks) return cut_stack(lane, frame, Cut::disabled);
    StackNames& names = lane.stacks();
    if (!names.chains.has_lines()) return cut_stack(lane, frame, Cut::disabled);
    const uint64_t generation = stack_table_generation();
    const uint64_t rule_generation = unwind_generation();
    const bool is_current =
        names.generation == generation && names.rule_generation == rule_generation;
    if (!is_current) {
        names.generation = generation;
        names.rule_generation = rule_generation;
        names.chains.clear();
        names.walker.forget_ids();
    }
    const Chain& expected = names.chains[names.chains[names.last].next];
    StackMemo* const memo = names.walker.walk(frame, static_cast<uint32_t>(options.depth),
                                              {expected.frames, rule_generation});
    if (memo == nullptr) return cut_stack(lane, frame, Cut::disabled);
    // The kept frames have their ids, unless these were forgotten.
    const uint32_t kept = memo->kept != 0 && memo->ids[memo->kept - 1] == 0 ? 0 : memo->kept;
    if (kept != memo->length) name_frames(lane, *memo, kept);
    const uint32_t id = memo->ids[memo->length - 1];
    names.chains.prefetch(names.chains[names.last].next);
    return id;
}

}  // namespace memtrace::preload
