// SPDX-License-Identifier: Apache-2.0
//
// The dump file: creates it, extends it, and writes at reserved offsets. It does not interpret
// records.
//
//   * Room is reserved by one atomic addition to FileHeader::file_end, after the file has been
//     made that long. So a reader never finds file_end beyond the end of the file.
//   * The descriptor is checked before each use, because programs close and reuse descriptors. If
//     it is gone, the file is opened again by its path, if that is still the same file.
//   * Ring pages are mapped MAP_SHARED after their blocks have been allocated on disk. So a full
//     disk is an error here and never a SIGBUS there.
//   * On a file system that cannot map files, or whose mapped pages could end the program when its
//     disk is full (file_system.h), rings lie in private memory and are lost when the process is
//     killed; everything else works. is_mapped() tells which.
//
// Every function may be called by any thread at any time. Errors are returned as false or
// nullptr, with errno-like numbers in last_error().
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "memtrace/dump/format.h"

namespace memtrace::preload::dump_file {

// Creates `path` (mode 0600, must not exist, no symbolic link) and writes the static header.
bool create(const char* path, uint64_t process_start);

// Returns the absolute path of the open dump; "" if there is none.
const char* path();
bool is_open();
bool is_mapped();
// Returns why rings lie in private memory, a clause; "" if they do not.
std::string_view why_not_mapped();
// Returns false if the dump was deleted, moved or replaced meanwhile.
bool is_at_its_path();
int last_error();
// True if it could not grow because of the option max_dump.
bool is_full();
// Bytes that the dump takes on the disk. Valid while it is open.
uint64_t stored_bytes();
// These, and those that rings in private memory will become.
uint64_t used_bytes();
// Says that so many of them will be given back soon.
void expect_room(uint64_t bytes);
// dump_limit.h has these, for the bytes that are used, and for the length of the file.
unsigned halvings_of_room();
unsigned halvings_of_length();
bool has_room_for_ring(uint64_t slots);

// Returns the part of the header that changes. Valid from create() on, even after a failure.
FileHeader& header();
void set_state(State state);
void count_lost_events(uint64_t count);
void count_child();

// Stores a chunk, header and payload, at an offset of its own.
bool append_chunk(SectionHeader header, const void* payload);

// Reserves a ring section for `slots` slots and returns its zeroed payload.
void* add_ring(uint32_t lane, uint32_t slots);

// Gives back room that was made and not used. Other threads may still write.
void trim();

// The dump's descriptor, or -1. It is hidden from the program (hooks_descriptors.cpp).
int descriptor();
// Gives up the number of the descriptor, because the program wants it. Another thread may be
// writing through it; then this waits until that is done, at most some milliseconds, because what
// it wrote would otherwise go to the program's file.
void leave_descriptor();

// Forgets the file without touching it. For a forked child, which must not write to its parent's
// dump.
void forget();

}  // namespace memtrace::preload::dump_file
