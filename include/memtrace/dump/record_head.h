// SPDX-License-Identifier: Apache-2.0
//
// The first byte of a record in a chunk, which identifies the record. For the two records that make
// up nearly all of most dumps, it also tells which fields are as predicted (predict.h). Those
// fields take no byte in any column.
//
//              bit  7 6 5 4 3 2 1 0
//   other           0 t t t t t t t    the tag; every field is in its column
//   acquire         1 0 0 s z a p p    s, z, a = 1: the stack, size or api is in its column
//                                      p: the address is that of the block freed last (0), just
//                                      after the last block (1), or in its column (2)
//   release         1 1 d d d d d d    the block acquired d acquisitions ago; 0: it is in its
//                                      column; 63: it and the api are in their columns. For
//                                      other values, the api is that of the last release with
//                                      63, or free at first
//
// A value in a column is packed as for a record with a plain tag, which is all that dumps of
// version 1 have. Only the api of an acquire is larger by one, as defined in predict.h.
#pragma once

#include <cstdint>

#include "memtrace/dump/format.h"

namespace memtrace::heads {

inline constexpr uint8_t short_bit = 0x80;
inline constexpr uint8_t release_bit = 0x40;
static_assert(tag_max < short_bit);

inline constexpr bool is_short(uint8_t head) { return (head & short_bit) != 0; }
inline constexpr bool is_release(uint8_t head) { return (head & release_bit) != 0; }

// Bits of an acquire.
inline constexpr uint8_t stack_bit = 0x10;
inline constexpr uint8_t size_bit = 0x08;
inline constexpr uint8_t api_bit = 0x04;
// The code of an address (predict.h) if it is below this; else this.
inline constexpr uint8_t address_in_column = 2;
inline constexpr uint8_t address_mask = 0x03;
inline constexpr uint8_t acquire_bits = short_bit | stack_bit | size_bit | api_bit | address_mask;

// Bits of a release. The code of a near block (predict.h) is twice its distance.
inline constexpr uint8_t distance_mask = 0x3f;
inline constexpr uint8_t in_column = 0;
inline constexpr uint8_t with_api = 63;
inline constexpr uint8_t distance_max = 62;

}  // namespace memtrace::heads
