// SPDX-License-Identifier: Apache-2.0
//
// One step of the merged stream: a record, or the second moment of a record that has two moments.
//
// A resize has a time stamp before and after the call of the allocator. Between these moments,
// another thread may have received the old address. So a resize becomes two events: the Resize
// itself at `time`, and a ResizeEnd at time + duration, when the new address is acquired. The same
// applies to Remap.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <variant>
#include <vector>

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

// At the same tick, an event that gives an address back comes before an event that takes an
// address.
template <class Record>
constexpr bool takes_address =
    std::is_same_v<Record, Acquire> || std::is_same_v<Record, Map> ||
    std::is_same_v<Record, ResizeEnd> || std::is_same_v<Record, RemapEnd> ||
    std::is_same_v<Record, GpuAcquire> || std::is_same_v<Record, GpuMap> ||
    std::is_same_v<Record, TensorAcquire>;

// Returns the key by which the merge sorts.
template <class Record>
constexpr uint64_t merge_key(const Record& record) {
    constexpr uint64_t last = ~uint64_t{0} - 2;
    const uint64_t key = record.time < last / 2 ? record.time * 2 : last;
    return key + (takes_address<Record> ? 1 : 0);
}

// Returns the greatest key of this time.
constexpr uint64_t last_key(uint64_t time) {
    constexpr uint64_t last = ~uint64_t{0};
    return time < last / 2 ? time * 2 + 1 : last;
}

// Nearly all events are acquisitions and releases. Other records are larger, so an event only
// points to them.
struct Event {
    uint64_t key = 0;
    std::variant<Acquire, Release, const AnyRecord*> record;
};

// The next events of a lane. The memory of those before them is used again, and no call is needed
// to add one.
class EventBatch {
public:
    void reserve(size_t count) {
        if (events_.size() < count) events_.resize(count);
    }
    void clear() { size_ = 0; }
    // `Record` is what an event may hold: Acquire, Release or const AnyRecord*.
    template <class Record>
    [[gnu::always_inline]] void add(uint64_t key, const Record& record) {
        if (size_ == events_.size()) [[unlikely]]
            grow();
        Event& event = events_[size_++];
        event.key = key;
        event.record.template emplace<Record>(record);
    }

    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    const Event& operator[](size_t i) const { return events_[i]; }
    const Event* begin() const { return events_.data(); }
    const Event* end() const { return events_.data() + size_; }

private:
    [[gnu::noinline]] void grow() { events_.resize(std::max<size_t>(16, 2 * size_)); }

    std::vector<Event> events_;  // those from size_ on are of no meaning
    size_t size_ = 0;
};

// Calls visit(record) with the event's record.
template <class Visit>
decltype(auto) visit_record(const Event& event, Visit&& visit) {
    if (const auto* acquire = std::get_if<Acquire>(&event.record)) return visit(*acquire);
    if (const auto* release = std::get_if<Release>(&event.record)) return visit(*release);
    return std::visit(visit, *std::get<const AnyRecord*>(event.record));
}

// Returns the event's record if it is of this kind, or nullptr.
template <class Record>
const Record* record_if(const Event& event) {
    if constexpr (std::is_same_v<Record, Acquire> || std::is_same_v<Record, Release>) {
        return std::get_if<Record>(&event.record);
    } else {
        const auto* other = std::get_if<const AnyRecord*>(&event.record);
        return other == nullptr ? nullptr : std::get_if<Record>(*other);
    }
}

}  // namespace memtrace::analyzer
