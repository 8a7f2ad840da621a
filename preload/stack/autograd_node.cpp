// SPDX-License-Identifier: Apache-2.0
#include "preload/stack/autograd_node.h"

#include "preload/base/clock.h"
#include "preload/python/python_runtime.h"
#include "preload/stack/modules.h"
#include "preload/writer/lane.h"

namespace memtrace::preload {
namespace {

bool is_in_engine(uint64_t pc) {
    return pc - autograd.engine_begin < autograd.engine_end - autograd.engine_begin;
}

// Each frame is looked at once. Frames that the last walk kept were looked at when they came into
// the memo.
bool runs_a_node(const StackMemo* walked) {
    if (walked == nullptr) return false;
    bool found = false;
    for (uint32_t i = walked->kept; i < walked->length; ++i) {
        found |= is_in_engine(walked->frames[i].pc);
    }
    return found;
}

void write_node(Lane& lane, AutogradWatch& watch, uint64_t node, uint64_t type) {
    watch.node = node;
    watch.type = type;
    AutogradNode record;
    record.module = type == 0 ? no_module : find_module(lane, type);
    // Another thread may have made the node. The fence puts this record behind that thread's
    // records.
    record.time = lane.stamp(ticks_now());
    record.node = node;
    record.type = type;
    lane.put_long(record);
}

}  // namespace

[[gnu::hot]] void watch_autograd(Lane& lane, AutogradWatch& watch, const StackMemo* walked) {
    if (autograd_state() == AutogradState::off || watch.engine != autograd.engine_begin) {
        // The last record no longer holds, and nothing is known about the thread.
        if (watch.node != 0) write_node(lane, watch, 0, 0);
        watch = {};
        watch.engine = autograd.engine_begin;
        if (autograd_state() == AutogradState::off) return;
    }
    if (watch.variable == 0) {
        if (!runs_a_node(walked)) return;
        watch.variable = find_current_node(lane);
        if (watch.variable == 0) return;
    }
    const uint64_t node = word_at(watch.variable);
    const uint64_t type = node == 0 ? 0 : type_of_node(lane, node);
    if (node == watch.node && type == watch.type) [[likely]]
        return;
    write_node(lane, watch, type == 0 ? 0 : node, type);
}

}  // namespace memtrace::preload
