// SPDX-License-Identifier: Apache-2.0
//
// The dump: what libmemtrace.so writes and memtrace-report reads. Read this file first; the words
// that a dump is made of are in records.h, how they are packed in columns.h. There is no other
// description of the format. `memtrace-report text dump.bin` prints any dump in these words.
//
// A dump is one file, little endian:
//
//   offset 0      FileHeader, one page; its second half is written while the program runs
//   offset 4096   frames, each on a multiple of 64 bytes: a SectionHeader, then its payload, then
//                 zeros up to the next multiple of 64
//   file_end      zeros, if anything: room that was reserved and not used
//
// There are two kinds of frames.
//
//   chunk   a finished piece of one lane: records in columns (columns.h), compressed, checksummed.
//   ring    the living end of one lane: 24-byte slots in pages that the process maps MAP_SHARED.
//           What a process wrote there survives its death at any instruction.
//
// A *lane* is one stream of records in time order, written by one thread at a time (when a thread
// ends, another may go on with its lane; ThreadStart and ThreadEnd records say who). Slots of a
// lane are numbered 0, 1, 2, … without end; slot n lives at index n mod capacity of the ring. When
// the ring is full, its thread turns the slots into a chunk, in this order:
//
//   1. write the chunk, which names the slots that it holds: [first_slot, first_slot + slot_count)
//   2. set the drained slots to zero
//   3. advance RingHeader::tail
//
// So for a reader: chunks give slots [0, c) without a gap; the ring gives [max(c, tail), head).
// A gap is a loss, and its size is known. A ring slot that is neither in [tail, head) nor one of
// the few slots just being written is zero; anything else there is damage.
//
//      chunks of the lane            ring (capacity 8)
//     ┌────────┬────────┐        ┌──┬──┬──┬──┬──┬──┬──┬──┐
//     │ 0 … 6  │ 7 … 16 │        │24│17│18│19│20│21│22│23│   tail 17, head 25: eight to read
//     └────────┴────────┘        └──┴──┴──┴──┴──┴──┴──┴──┘
//
// Every byte is accounted for: headers and payloads have checksums, slots have one each, padding is
// zero, and head, tail and file_end must agree with what stands in the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace memtrace {

inline constexpr char file_magic[8] = {'M', 'E', 'M', 'T', 'R', 'A', 'C', 'E'};
inline constexpr uint32_t frame_magic = 0x4b43544d;  // "MTCK"
inline constexpr uint32_t format_version = 2;
inline constexpr size_t page_bytes = 4096;
inline constexpr size_t section_alignment = 64;
inline constexpr size_t slot_bytes = 24;
inline constexpr size_t slot_payload_bytes = 22;
inline constexpr uint32_t raw_bytes_max = 64u << 20;  // No honest chunk is larger than this.

// Set in FileHeader::features. A reader that meets a bit it does not know refuses the dump with a
// sentence that says so; everything that an old reader can safely ignore needs no bit.
enum Feature : uint64_t {
    feature_none = 0,
};
inline constexpr uint64_t features_known = feature_none;

// How the recording stands; in FileHeader::state.
enum class State : uint32_t {
    recording = 0,  // Nobody said that it ended: still running, or killed.
    ended = 1,      // An End record was written: exit, _exit or exec.
    stopped = 2,    // The shim had to stop recording; a Note says why.
};

struct FileHeader {
    // Written once, before anything else.
    char magic[8];
    uint32_t version;
    uint32_t header_bytes;  // sizeof(FileHeader)
    uint64_t features;
    uint64_t pid;
    uint64_t process_start;     // Field 22 of /proc/self/stat: with pid, one process of this boot.
    uint64_t ticks_zero;        // Tick count that times in records are relative to.
    uint64_t ticks_per_second;  // An estimate; Clock records give the exact relation.
    uint64_t checksum;          // hash_bytes() of all fields above.

    // Written while the program runs; each is one aligned store.
    alignas(64) uint64_t file_end;  // One past the last reserved byte.
    uint64_t lost_events;           // Events that were seen and could not be recorded.
    uint64_t lost_events_again;     // The same number, stored second: a damaged count shows.
    uint32_t state;                 // State
    uint32_t state_again;
    uint32_t children;  // Processes forked or spawned from here.
    uint32_t children_again;
};
static_assert(sizeof(FileHeader) == 128 && sizeof(FileHeader) <= page_bytes);
inline constexpr size_t header_checksum_offset = offsetof(FileHeader, checksum);

enum class SectionKind : uint8_t { chunk = 1, ring = 2 };
enum class Packing : uint8_t { none = 0, zstd = 1 };

// The lane number of a chunk that belongs to no lane: what is said about the process at its start.
inline constexpr uint32_t lane_none = 0xffffffff;

struct SectionHeader {
    uint32_t magic;  // frame_magic
    SectionKind kind;
    Packing packing;        // chunk: how the payload is stored
    uint16_t reserved;      // zero
    uint32_t stored_bytes;  // Payload bytes in the file, without padding.
    uint32_t raw_bytes;     // chunk: payload bytes after unpacking
    uint32_t lane;
    uint32_t record_count;      // chunk: records inside
    uint64_t first_slot;        // chunk: number of the first slot that it holds
    uint32_t slot_count;        // chunk: how many; ring: its capacity, a power of two
    uint32_t payload_checksum;  // chunk: low half of hash_bytes(stored payload); ring: zero
    uint64_t first_time;        // chunk: ticks of its first record …
    uint64_t last_time;         // … and of its last
};
static_assert(sizeof(SectionHeader) == 56);

// What stands in the file: the header and the checksum over it, 64 bytes.
struct StoredSectionHeader {
    SectionHeader header;
    uint64_t checksum;  // hash_bytes(header)
};
static_assert(sizeof(StoredSectionHeader) == section_alignment);

// Payload of a ring frame: this, then slot_count slots.
struct RingHeader {
    alignas(64) uint64_t head;  // One past the newest slot. Only the lane's thread stores it.
    alignas(64) uint64_t tail;  // The oldest slot that is not yet in a chunk.
    uint8_t unused[56];
};
static_assert(sizeof(RingHeader) == 128);

// One ring slot: three words that one thread writes and the reader of a dead process checks.
//
//   byte   0     1      2 … 23
//         tag  check   payload
//
// `check` makes the exclusive or of all 24 bytes equal to the low byte of the slot's number plus
// 1, so any one changed byte shows, and so does a slot that is left over from an earlier lap.
// Tags below slot_tag_long are packed by hand (slots.h), because they are nearly all events.
// slot_tag_long starts any other record: payload byte 0 is its tag, bytes 1 and 2 its length in
// bytes, and the bytes themselves (long_record.h) go on through the following slots,
// whose tag is slot_tag_more. Slots of one record become visible together, by one store of head.
struct Slot {
    uint64_t words[3];
};
static_assert(sizeof(Slot) == slot_bytes);

inline constexpr uint8_t slot_tag_long = 0xfe;
inline constexpr uint8_t slot_tag_more = 0xff;

// Slots of the longest record: what a dying thread can have left half-written behind head.
inline constexpr uint32_t record_slots_max = 512;
inline constexpr uint32_t record_bytes_max = record_slots_max * slot_payload_bytes - 3;

// A fold of the bytes of three words into one byte, by exclusive or.
inline uint8_t fold_bytes(uint64_t a, uint64_t b, uint64_t c) {
    uint64_t x = a ^ b ^ c;
    x ^= x >> 32;
    x ^= x >> 16;
    x ^= x >> 8;
    return static_cast<uint8_t>(x);
}

// Puts the check byte into a slot whose check byte is zero.
inline void seal_slot(Slot& slot, uint64_t number) {
    const uint8_t check =
        fold_bytes(slot.words[0], slot.words[1], slot.words[2]) ^ static_cast<uint8_t>(number + 1);
    slot.words[0] |= static_cast<uint64_t>(check) << 8;
}

inline bool slot_is_sound(const Slot& slot, uint64_t number) {
    return fold_bytes(slot.words[0], slot.words[1], slot.words[2]) ==
           static_cast<uint8_t>(number + 1);
}

inline bool slot_is_zero(const Slot& slot) {
    return (slot.words[0] | slot.words[1] | slot.words[2]) == 0;
}

inline uint64_t align_frame(uint64_t offset) {
    return (offset + section_alignment - 1) & ~uint64_t{section_alignment - 1};
}

}  // namespace memtrace

#include "memtrace/dump/records.h"  // IWYU pragma: export
