// SPDX-License-Identifier: Apache-2.0
//
// One step of the merged stream: a record, or the second moment of a record that has two.
//
// A resize is stamped before and after the allocator was called. In between, another thread may
// have been given the old address. So it becomes two events: the Resize itself at `time`, and a
// ResizeEnd at time + duration, when the new address is taken. The same goes for Remap.
#pragma once

#include <cstdint>
#include <variant>

#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

struct ResizeEnd {
    uint64_t time = 0;
    Resize resize;
};

struct RemapEnd {
    uint64_t time = 0;
    Remap remap;
};

template <class List>
struct VariantOf;
template <class... Record>
struct VariantOf<TypeList<Record...>> {
    using type = std::variant<Record..., ResizeEnd, RemapEnd>;
};
using AnyRecord = VariantOf<Records>::type;

// At the same tick, whatever gives an address back comes before whatever takes one.
template <class Record>
constexpr bool takes_address =
    std::is_same_v<Record, Acquire> || std::is_same_v<Record, Map> ||
    std::is_same_v<Record, ResizeEnd> || std::is_same_v<Record, RemapEnd> ||
    std::is_same_v<Record, GpuAcquire> || std::is_same_v<Record, GpuMap> ||
    std::is_same_v<Record, TensorAcquire>;

// What the merge sorts by.
template <class Record>
constexpr uint64_t merge_key(const Record& record) {
    constexpr uint64_t last = ~uint64_t{0} - 2;
    const uint64_t key = record.time < last / 2 ? record.time * 2 : last;
    return key + (takes_address<Record> ? 1 : 0);
}

struct Event {
    uint64_t key = 0;
    AnyRecord record;
};

}  // namespace memtrace::analyzer
