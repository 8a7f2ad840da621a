// SPDX-License-Identifier: Apache-2.0
//
// How large the dump may become (option max_dump, and RLIMIT_FSIZE), and what follows from that for
// a recording: when its samples become sparser, and whether a thread gets a large ring.
//
// The kernel limits the length of a file; max_dump limits what it takes on the disk. Parts of the
// file that were given back (Control::pages_given_back) count for the first only.
#pragma once

#include <cstdint>

namespace memtrace::preload::dump_limit {

// Returns the length that a file of `length` bytes gets to have room for `needed` bytes, with some
// spare room. Returns `needed` if only that is allowed, and 0 if not even that is. `given_back`:
// bytes of it that are holes.
uint64_t grown(uint64_t length, uint64_t needed, uint64_t given_back);

// Returns RLIMIT_FSIZE; ~0: there is none.
uint64_t length_limit();

// True if max_dump forbids a dump that takes this many bytes.
bool forbids(uint64_t bytes, uint64_t given_back = 0);

// Returns how often the room that is left has halved: 0 while less than half of max_dump is used, 1
// from a half on, 2 from three quarters on. Always 0 without max_dump.
unsigned halvings_of_room(uint64_t used);
// The same of the room that RLIMIT_FSIZE leaves to a file of this length, as a part of max_dump, or
// of what the kernel allows at all, if that is less. Always 0 without max_dump: then there is no
// sample, and the recording ends at the limit.
unsigned halvings_of_length(uint64_t length);

// True if a ring of so many bytes leaves enough room for what will be written.
bool has_room_for_ring(uint64_t used, uint64_t bytes);

}  // namespace memtrace::preload::dump_limit
