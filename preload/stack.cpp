// SPDX-License-Identifier: Apache-2.0
#include "preload/stack.h"

#include "preload/lane.h"
#include "preload/options.h"
#include "preload/stack_table.h"
#include "preload/sys.h"
#include "preload/unwind.h"

namespace memtrace::preload {
namespace {

constexpr uint32_t own_frames_max = 16;  // between unwind() and the hook's caller, at most

bool make_memory(StackMemory& memory) {
    if (memory.addresses != nullptr) return true;
    const size_t depth = options.depth + own_frames_max + 1;
    char* bytes = static_cast<char*>(sys::map_private(depth * (8 + 8 + 4)));
    if (bytes == nullptr) return false;
    memory.scratch = reinterpret_cast<uint64_t*>(bytes);
    memory.addresses = memory.scratch + depth;
    memory.ids = reinterpret_cast<uint32_t*>(memory.addresses + depth);
    return true;
}

// Where the program's frames begin in what the unwinder wrote: at the hook's return address.
// `length` if it is not there.
uint32_t find_caller(const uint64_t* frames, uint32_t length, void* caller) {
    const uint32_t end = length < own_frames_max ? length : own_frames_max;
    for (uint32_t i = 0; i < end; ++i) {
        if (frames[i] == reinterpret_cast<uint64_t>(caller)) return i;
    }
    return length;
}

}  // namespace

uint32_t cut_stack(Lane& lane, void* caller, Cut why) {
    const uint32_t root = find_or_add_node(lane, no_stack, static_cast<uint64_t>(why),
                                           NodeKind::truncated);
    return find_or_add_node(lane, root, reinterpret_cast<uint64_t>(caller), NodeKind::native);
}

uint32_t capture_stack(Lane& lane, void* caller) {
    StackMemory& memory = lane.stacks();
    if (!options.stacks) return cut_stack(lane, caller, Cut::disabled);
    if (!unwinder_is_ready()) {
        return cut_stack(lane, caller, unwinder_is_missing() ? Cut::disabled : Cut::early);
    }
    if (!make_memory(memory)) return cut_stack(lane, caller, Cut::disabled);
    const uint32_t max = static_cast<uint32_t>(options.depth) + own_frames_max;
    const uint32_t length = unwind(memory.scratch, max, memory.in_unwinder);
    const uint32_t first = find_caller(memory.scratch, length, caller);
    if (first == length) return cut_stack(lane, caller, Cut::failed);

    // A zero address ends some stacks; it is no frame.
    uint32_t end = length;
    while (end > first + 1 && memory.scratch[end - 1] == 0) --end;
    const bool too_deep = length == max;
    if (end - first > options.depth) end = first + static_cast<uint32_t>(options.depth);

    // Outermost first from here on. Reuse the ids of the outer part that is the same as last time.
    const uint32_t frames = end - first;
    const bool reusable = memory.generation == stack_table_generation() && !too_deep;
    uint32_t parent = no_stack;
    if (too_deep) {
        parent = find_or_add_node(lane, no_stack, static_cast<uint64_t>(Cut::depth),
                                  NodeKind::truncated);
    }
    uint32_t done = 0;
    while (reusable && done < frames && done < memory.length &&
           memory.addresses[done] == memory.scratch[end - 1 - done]) {
        parent = memory.ids[done++];
    }
    memory.generation = stack_table_generation();
    for (; done < frames; ++done) {
        const uint64_t address = memory.scratch[end - 1 - done];
        parent = find_or_add_node(lane, parent, address, NodeKind::native);
        memory.addresses[done] = address;
        memory.ids[done] = parent;
    }
    // A cut stack's ids hang below another root than a whole one's.
    memory.length = too_deep ? 0 : frames;
    return parent;
}

}  // namespace memtrace::preload
