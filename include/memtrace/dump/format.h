// SPDX-License-Identifier: Apache-2.0
//
// The dump: the file that libmemtrace.so writes and memtrace-report reads. Read this file first.
// The records of a dump are defined in records.h, and their packing in columns.h. There is no other
// description of the format. `memtrace-report text dump.bin` prints any dump in these terms.
//
// A dump is one file, little endian:
//
//   offset 0      FileHeader, one page; its second half is written while the program runs
//   offset 4096   sections, each at a multiple of 64 bytes: a SectionHeader, then its payload, then
//                 zeros up to the next multiple of 64
//   file_end      zeros, if anything: space that was reserved and not used
//
// There are three kinds of sections.
//
//   chunk   a finished piece of one lane: records in columns (columns.h), compressed, checksummed.
//   ring    the live end of one lane: 24-byte slots in pages that the process maps MAP_SHARED.
//           What a process wrote there survives its death at any instruction.
//   past    what a reader knew at some moment. The chunks before that moment are gone. In a file
//           that `memtrace-report compact` wrote it is the first section, and feature_compacted is
//           set. While a program writes (option max_dump), each new one replaces the one before:
//           only the one that Control::newest_past names counts (control.h).
//
// A *lane* is one stream of records in time order, written by one thread at a time. When a thread
// ends, another may continue its lane; ThreadStart and ThreadEnd records identify the threads.
// Slots of a lane are numbered 0, 1, 2, … without end. Slot n lives at index n mod capacity of the
// ring. When the ring is full, its thread turns the slots into a chunk, in this order:
//
//   1. write the chunk; its header gives its slots: [first_slot, first_slot + slot_count)
//   2. set the drained slots to zero
//   3. advance RingHeader::tail
//
// So a reader finds slots [0, c) in the chunks, without a gap, and slots [max(c, tail), head) in
// the ring. A gap is a loss of known size. A ring slot outside [tail, head) is zero, except for the
// few slots that are just being written. Anything else there is damage.
//
//      chunks of the lane            ring (capacity 8)
//     ┌────────┬────────┐        ┌──┬──┬──┬──┬──┬──┬──┬──┐
//     │ 0 … 6  │ 7 … 16 │        │24│17│18│19│20│21│22│23│   tail 17, head 25: eight to read
//     └────────┴────────┘        └──┴──┴──┴──┴──┴──┴──┴──┘
//
// Every byte is accounted for. Headers, payloads and slots have checksums, padding is zero, and
// head, tail and file_end must agree with the contents of the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace memtrace {

inline constexpr char file_magic[8] = {'M', 'E', 'M', 'T', 'R', 'A', 'C', 'E'};
inline constexpr uint32_t section_magic = 0x4b43544d;  // "MTCK"
inline constexpr uint32_t format_version = 5;
// The versions that brought something which a reader must know of.
inline constexpr uint32_t version_of_ring_sums = 3;   // RingHeader
inline constexpr uint32_t version_of_twins = 4;       // TwinNumber
inline constexpr uint32_t version_of_sums_begin = 5;  // ring_sums_begin
inline constexpr size_t page_bytes = 4096;
inline constexpr size_t section_alignment = 64;
inline constexpr size_t slot_bytes = 24;
inline constexpr size_t slot_payload_bytes = 22;
inline constexpr uint32_t raw_bytes_max = 64u << 20;  // no valid chunk is larger than this

// Bits of FileHeader::features. A reader that finds an unknown bit refuses the dump and reports it.
// Additions that an old reader can safely ignore need no bit.
enum Feature : uint64_t {
    feature_none = 0,
    // Rings lie in memory of the process and not in the file. The end of the recording writes them;
    // without it (a kill), the newest events of each thread are missing.
    feature_private_rings = 1,
    // The events before some moment are gone. A section `past` has what they amounted to.
    feature_compacted = 2,
};
inline constexpr uint64_t features_known = feature_private_rings | feature_compacted;

// The state of the recording, in FileHeader::state.
enum class State : uint32_t {
    recording = 0,  // no end was recorded: still running, or killed
    ended = 1,      // an End record was written: exit, _exit or exec
    stopped = 2,    // the shim had to stop recording; a Note contains the reason
};

// A number that is stored twice in one word, so that one store writes both: in the low half, and as
// its distance from `whole` in the high half. Each number has a `whole` of its own, so neither
// zeros nor the word of another number can take its place unnoticed. In dumps before version 4 both
// halves are the number.
template <uint32_t whole>
struct TwinNumber {
    uint64_t word;

    static constexpr uint64_t one = 1 - (uint64_t{1} << 32);  // what is added to count one more
    static constexpr TwinNumber of(uint32_t number) {
        return {uint64_t{whole - number} << 32 | number};
    }
    constexpr uint32_t value() const { return static_cast<uint32_t>(word); }
    // The number as the high half has it. The number is sound if it equals value().
    constexpr uint32_t again(uint32_t version) const {
        const auto high = static_cast<uint32_t>(word >> 32);
        return version < version_of_twins ? high : whole - high;
    }
};

struct FileHeader {
    // Written once, before anything else.
    char magic[8];
    uint32_t version;
    uint32_t header_bytes;  // sizeof(FileHeader)
    uint64_t features;
    uint64_t pid;
    uint64_t process_start;     // field 22 of /proc/self/stat: with pid, one process of this boot
    uint64_t ticks_zero;        // tick count that times in records are relative to
    uint64_t ticks_per_second;  // an estimate; Clock records give the exact relation
    uint64_t checksum;          // hash_bytes() of all fields above

    // Written while the program runs; each is one aligned store.
    alignas(64) uint64_t file_end;    // one past the last reserved byte
    uint64_t lost_events;             // events that were seen and could not be recorded
    uint64_t lost_events_left;        // lost_events_whole less this number, stored second
    TwinNumber<0x5ba7e5a1> state;     // State
    TwinNumber<0xc417d8e3> children;  // processes forked or spawned from here

    // The number of sections that are wholly in the file. A section that is missing is noticed,
    // even if nothing but zeros is left of it. Older dumps end before this field (header_bytes).
    alignas(64) TwinNumber<0x9d3c5f27> sections;
    // The same of those sections whose loss no slot number tells: rings, and the chunk about the
    // process. A thread that died between writing a chunk and counting it leaves one section more
    // than are counted, and then another could be missing. Since version 3.
    TwinNumber<0x3e9ad64b> rings_and_process;
};
static_assert(sizeof(FileHeader) == 192 && sizeof(FileHeader) <= page_bytes);
inline constexpr uint64_t lost_events_whole = 0x7c15e2b94fd08a63;
// The number of lost events as its second copy has it. In dumps before version 4 it is a copy.
inline uint64_t lost_events_again(const FileHeader& header) {
    return header.version < version_of_twins ? header.lost_events_left
                                             : lost_events_whole - header.lost_events_left;
}
inline constexpr size_t header_checksum_offset = offsetof(FileHeader, checksum);

enum class SectionKind : uint8_t { chunk = 1, ring = 2, past = 3 };
enum class Packing : uint8_t { none = 0, zstd = 1 };

// The lane number of a chunk that belongs to no lane: records about the process at its start.
inline constexpr uint32_t lane_none = 0xffffffff;

struct SectionHeader {
    uint32_t magic;  // section_magic
    SectionKind kind;
    Packing packing;        // chunk: how the payload is stored
    uint16_t reserved;      // zero
    uint32_t stored_bytes;  // payload bytes in the file, without padding
    uint32_t raw_bytes;     // chunk: payload bytes after unpacking
    uint32_t lane;
    uint32_t record_count;      // chunk: number of records in it
    uint64_t first_slot;        // chunk: number of its first slot
    uint32_t slot_count;        // chunk: number of its slots; ring: its capacity, a power of two
    uint32_t payload_checksum;  // chunk: low half of hash_bytes(stored payload); ring: zero
    uint64_t first_time;        // chunk: ticks of its first record …
    uint64_t last_time;         // … and of its last
};
static_assert(sizeof(SectionHeader) == 56);

// A header as stored in the file, with the checksum over it: 64 bytes.
struct StoredSectionHeader {
    SectionHeader header;
    uint64_t checksum;  // hash_bytes(header)
};
static_assert(sizeof(StoredSectionHeader) == section_alignment);

// Payload of a ring section: this header, then slot_count slots.
//
// head_sum - tail_sum is the sum of slot_sum() over the slots [tail, head). Each sum is stored
// before its index: a thread that died in between left head_sum one complete record ahead of head,
// or tail_sum ahead of tail, whose slots are then in a chunk. Dumps before version 3 have no sums.
// Both begin with ring_sums_begin, so zeros do not pass for a ring that nobody has written to.
inline constexpr uint64_t ring_sums_begin = 0x8e51c7d2a96f304b;
struct RingHeader {
    alignas(64) uint64_t head;  // one past the newest slot; stored only by the lane's thread
    uint64_t head_sum;
    alignas(64) uint64_t tail;  // the oldest slot that is not yet in a chunk
    uint64_t tail_sum;
    uint8_t unused[48];
};
static_assert(sizeof(RingHeader) == 128);

// Payload of a section `past`: this header, `lane_count` times PastLane in the order in which the
// lanes are numbered below, `gone_count` times PastGone by place, then `state_bytes` bytes, packed
// with zstd. They unpack to `raw_bytes` bytes that only the memtrace-report that wrote them needs
// to understand (analyzer/compact).
struct PastHeader {
    uint64_t key;  // of the newest event that the state has (analyzer/reader/event.h)
    uint64_t lane_count;
    uint64_t gone_count;
    uint64_t state_bytes;
    uint64_t raw_bytes;
};
// The events of a lane that the state has are still there in part: those of chunks that have later
// events, too, and those in the ring. Times in a lane never fall, so a time and a count tell them.
struct PastLane {
    uint32_t lane;
    uint32_t is_over;      // 1: the lane has no later events, and its ring is gone, too
    uint64_t first_slot;   // the first slot that may still be there
    uint64_t first_time;   // ticks of the newest record before that slot; 0: there is none
    uint64_t known_time;   // ticks of the newest event that the state has; 0: it has none
    uint64_t known_count;  // how many events of that time it has
};
// A part of the file whose sections are gone. Nobody looks at its bytes any more; most are a hole.
struct PastGone {
    uint64_t begin;  // bytes from the start of the file
    uint64_t end;
    uint64_t sections;  // that were in it
};
static_assert(sizeof(PastHeader) == 40 && sizeof(PastLane) == 40 && sizeof(PastGone) == 24);

// One ring slot: three words that one thread writes and the reader of a dead process checks.
//
//   byte   0     1      2 … 23
//         tag  check   payload
//
// `check` makes the exclusive or of all 24 bytes equal to the low byte of the slot's number plus 1.
// So any one changed byte is detected, and so is a slot that is left over from an earlier lap. Tags
// below slot_tag_long are packed by hand (slots.h), because they are nearly all events.
// slot_tag_long starts any other record: payload byte 0 is its tag, and bytes 1 and 2 are its
// length in bytes. The bytes themselves (long_record.h) continue through the following slots, which
// have the tag slot_tag_more. The slots of one record become visible together, by one store of
// head.
struct Slot {
    uint64_t words[3];
};
static_assert(sizeof(Slot) == slot_bytes);

inline constexpr uint8_t slot_tag_long = 0xfe;
inline constexpr uint8_t slot_tag_more = 0xff;

// Slots of the longest record. A dying thread can leave that many half-written behind head.
inline constexpr uint32_t record_slots_max = 512;
inline constexpr uint32_t record_bytes_max = record_slots_max * slot_payload_bytes - 3;

// Folds the bytes of three words into one byte, by exclusive or.
inline uint8_t fold_bytes(uint64_t a, uint64_t b, uint64_t c) {
    uint64_t x = a ^ b ^ c;
    x ^= x >> 32;
    x ^= x >> 16;
    x ^= x >> 8;
    return static_cast<uint8_t>(x);
}

// Puts the check byte into a slot with a check byte of zero.
inline void seal_slot(Slot& slot, uint64_t number) {
    const uint8_t check =
        fold_bytes(slot.words[0], slot.words[1], slot.words[2]) ^ static_cast<uint8_t>(number + 1);
    slot.words[0] |= static_cast<uint64_t>(check) << 8;
}

inline bool slot_is_sound(const Slot& slot, uint64_t number) {
    return fold_bytes(slot.words[0], slot.words[1], slot.words[2]) ==
           static_cast<uint8_t>(number + 1);
}

// One sealed slot's part of the sums of its ring. The check above notices a changed byte, and every
// 256th change of more than that passes it; this depends on every bit, on the slot's number and on
// its lane.
inline uint64_t slot_sum(const Slot& slot, uint64_t number, uint32_t lane) {
    constexpr uint64_t a = 0x9e3779b97f4a7c15, b = 0xbf58476d1ce4e5b9;  // odd, and without pattern
    const uint64_t place = (number ^ uint64_t{lane} << 40) * b;
    const unsigned __int128 product =
        static_cast<unsigned __int128>(slot.words[0] ^ slot.words[2] * a) * (slot.words[1] ^ place);
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

inline bool slot_is_zero(const Slot& slot) {
    return (slot.words[0] | slot.words[1] | slot.words[2]) == 0;
}

inline uint64_t align_section(uint64_t offset) {
    return (offset + section_alignment - 1) & ~uint64_t{section_alignment - 1};
}

}  // namespace memtrace

#include "memtrace/dump/records.h"  // IWYU pragma: export
