// SPDX-License-Identifier: Apache-2.0
//
// Converts records to ring slots and back. Node, Acquire and Release take one slot each, packed by
// hand. Everything else, and an Acquire or Release with numbers that do not fit, is a long record.
//
//              words[0]                          words[1]           words[2]
//   acquire    tag:8 check:8 address:48          time:56 api:8      size:32 stack:32
//   release    tag:8 check:8 address:48          time:56 api:8      zero
//   node       tag:8 check:8 address:48          id:32 module:24 kind:8   parent:32 zero:32
//   long       tag:8 check:8 record tag:8 length:16 bytes …
//   more       tag:8 check:8 bytes …
//
// A node has no time of its own in a slot. It has the time of the record before it.
#pragma once

#include <cstdint>
#include <cstring>

#include "memtrace/dump/format.h"
#include "memtrace/dump/long_record.h"

namespace memtrace {

inline constexpr uint64_t slot_address_limit = uint64_t{1} << 48;
inline constexpr uint64_t slot_time_limit = uint64_t{1} << 56;
inline constexpr uint64_t slot_size_limit = uint64_t{1} << 32;

inline uint8_t slot_tag(const Slot& slot) { return static_cast<uint8_t>(slot.words[0]); }
inline bool is_event(const Slot& slot) {
    return slot_tag(slot) == Acquire::tag || slot_tag(slot) == Release::tag;
}

inline bool fits_slot(const Acquire& record) {
    return record.address < slot_address_limit && record.size < slot_size_limit;
}
inline bool fits_slot(const Release& record) { return record.address < slot_address_limit; }

inline Slot pack_slot(const Acquire& record) {
    return {{Acquire::tag | record.address << 16,
             record.time | static_cast<uint64_t>(record.api) << 56,
             record.size | static_cast<uint64_t>(record.stack) << 32}};
}
inline Slot pack_slot(const Release& record) {
    return {{Release::tag | record.address << 16,
             record.time | static_cast<uint64_t>(record.api) << 56, 0}};
}
inline Slot pack_slot(const Node& record) {
    return {{Node::tag | record.address << 16,
             record.id | static_cast<uint64_t>(record.module & 0xffffff) << 32 |
                 static_cast<uint64_t>(record.kind) << 56,
             record.parent}};
}

inline void unpack_slot(const Slot& slot, Acquire& record) {
    record.address = slot.words[0] >> 16;
    record.time = slot.words[1] & (slot_time_limit - 1);
    record.api = static_cast<Api>(slot.words[1] >> 56);
    record.size = slot.words[2] & 0xffffffff;
    record.stack = static_cast<uint32_t>(slot.words[2] >> 32);
}
inline void unpack_slot(const Slot& slot, Release& record) {
    record.address = slot.words[0] >> 16;
    record.time = slot.words[1] & (slot_time_limit - 1);
    record.api = static_cast<Api>(slot.words[1] >> 56);
}
inline void unpack_slot(const Slot& slot, Node& record) {
    record.address = slot.words[0] >> 16;
    record.id = static_cast<uint32_t>(slot.words[1]);
    record.module = static_cast<uint32_t>(slot.words[1] >> 32) & 0xffffff;
    record.kind = static_cast<NodeKind>(slot.words[1] >> 56);
    record.parent = static_cast<uint32_t>(slot.words[2]);
}

// ---- long records ------------------------------------------------------------------------------

// Returns the number of slots that a long record of `bytes` row bytes takes.
inline constexpr uint32_t long_record_slots(size_t bytes) {
    return static_cast<uint32_t>((bytes + 3 + slot_payload_bytes - 1) / slot_payload_bytes);
}

// Cuts the row [bytes, bytes + size) of the record `tag` into slots and calls put(i, slot) for slot
// i of the record. Slots are not sealed. size <= record_bytes_max.
template <class Put>
void pack_long_record(uint8_t tag, const uint8_t* bytes, size_t size, Put&& put) {
    const uint8_t head[3] = {tag, static_cast<uint8_t>(size), static_cast<uint8_t>(size >> 8)};
    size_t done = 0;
    for (uint32_t i = 0; i < long_record_slots(size); ++i) {
        uint8_t raw[slot_bytes] = {};
        raw[0] = i == 0 ? slot_tag_long : slot_tag_more;
        uint8_t* payload = raw + 2;
        size_t space = slot_payload_bytes;
        if (i == 0) {
            std::memcpy(payload, head, sizeof head);
            payload += sizeof head;
            space -= sizeof head;
        }
        const size_t part = size - done < space ? size - done : space;
        std::memcpy(payload, bytes + done, part);
        done += part;
        Slot slot;
        std::memcpy(slot.words, raw, sizeof raw);
        put(i, slot);
    }
}

// Tag and length of the long record that this slot begins.
inline uint8_t long_record_tag(const Slot& slot) {
    return static_cast<uint8_t>(slot.words[0] >> 16);
}
inline uint32_t long_record_bytes(const Slot& slot) {
    return static_cast<uint32_t>(slot.words[0] >> 24) & 0xffff;
}

// Copies the payload of slot i of a long record to its place in `row`, which must have room for
// record_slots_max * slot_payload_bytes.
inline void unpack_long_slot(const Slot& slot, uint32_t i, uint8_t* row) {
    uint8_t raw[slot_bytes];
    std::memcpy(raw, slot.words, sizeof raw);
    if (i == 0) std::memcpy(row, raw + 5, slot_payload_bytes - 3);
    else std::memcpy(row + i * slot_payload_bytes - 3, raw + 2, slot_payload_bytes);
}

// Reads slots [begin, end) of a lane. Calls visit(record) for each record, visit_unknown(tag) for a
// record with an unknown tag, and damaged(number) for a slot that cannot be read. get(number) must
// return the slot. `row` is scratch memory for record_slots_max * slot_payload_bytes; Text points
// into it. `time` is the last time seen, in and out, for nodes. Stops at the first record for which
// keep_going(number) is false. Returns the number of the first slot that was not consumed.
template <class Get, class Visit, class Unknown, class Damaged, class KeepGoing>
uint64_t read_slots(uint64_t begin, uint64_t end, uint8_t* row, uint64_t& time, Get&& get,
                    Visit&& visit, Unknown&& visit_unknown, Damaged&& damaged,
                    KeepGoing&& keep_going) {
    auto read_one = [&]<class Record>(const Slot& slot, Record record) {
        unpack_slot(slot, record);
        if constexpr (std::is_same_v<Record, Node>) record.time = time;
        else time = record.time;
        visit(static_cast<const Record&>(record));
    };
    uint64_t number = begin;
    while (number < end && keep_going(number)) {
        const Slot& slot = get(number);
        const uint8_t tag = slot_tag(slot);
        if (!slot_is_sound(slot, number)) {
            damaged(number++);
        } else if (tag == Acquire::tag) {
            read_one(slot, Acquire{});
            ++number;
        } else if (tag == Release::tag) {
            read_one(slot, Release{});
            ++number;
        } else if (tag == Node::tag) {
            read_one(slot, Node{});
            ++number;
        } else if (tag == slot_tag_long) {
            const uint32_t bytes = long_record_bytes(slot);
            const uint32_t slots = long_record_slots(bytes);
            bool sound = slots <= record_slots_max && slots <= end - number;
            for (uint32_t i = 0; sound && i < slots; ++i) {
                const Slot& part = get(number + i);
                sound =
                    slot_is_sound(part, number + i) && (i == 0 || slot_tag(part) == slot_tag_more);
                if (sound) unpack_long_slot(part, i, row);
            }
            bool readable = false;
            const bool known = sound && with_record(Records{}, long_record_tag(slot),
                                                    [&]<class Record>(std::type_identity<Record>) {
                                                        Record record;
                                                        readable =
                                                            read_row(row, row + bytes, record);
                                                        if (!readable) return;
                                                        time = record.time;
                                                        visit(static_cast<const Record&>(record));
                                                    });
            if (sound && !known) visit_unknown(long_record_tag(slot));
            if (!sound || (known && !readable)) {
                damaged(number++);
            } else {
                number += slots;
            }
        } else {
            damaged(number++);
        }
    }
    return number;
}

}  // namespace memtrace
