// SPDX-License-Identifier: Apache-2.0
//
// Unwind tables of code that is made at run time. JIT compilers register them with
// __register_frame.
//
//   * Registered tables are copied at once. The program's own tables are read only during that
//     call, so they may go away at any moment afterwards.
//   * A lookup takes no lock, calls nothing and reads only the copies, which are reused but never
//     unmapped. If a copy was reused for another table meanwhile, `RegisteredEntry::is_valid()`
//     returns false.
//   * Removing tables also forgets the rules that were made from them. The names of frames stay:
//     for such code the dump contains only addresses, whatever code is there.
//   * Functions are found by a hash of their address, not by a linear search. There may be one
//     registration for each of a hundred thousand functions.
#pragma once

#include <atomic>
#include <cstdint>

#include "preload/unwind/cfi.h"

namespace memtrace::preload {

// Adds the tables at `section`, an .eh_frame that ends with a zero, under the address `key`, by
// which they will be removed. `is_forwarded` means that the program's own unwinder received them as
// well.
void add_registered_frames(const void* key, const void* section, bool is_forwarded);
bool has_registered_frames(const void* key);

// Removes the tables that were added under this address. Returns true if the program's own unwinder
// has them too, or if they were never added.
bool remove_registered_frames(const void* key);

// Tells if an entry that was found is still there.
class RegisteredEntry {
public:
    bool is_valid() const { return version_ == nullptr || version_->load() == seen_; }

private:
    friend bool find_registered_entry(uint64_t pc, UnwindEntry& entry, RegisteredEntry& found);
    const std::atomic<uint64_t>* version_ = nullptr;
    uint64_t seen_ = 0;
};

// Finds the entry that covers `pc`; of several, the entry that was registered last. Data read by
// means of it is valid only if `found` is still valid afterwards.
bool find_registered_entry(uint64_t pc, UnwindEntry& entry, RegisteredEntry& found);

// True if `pc` is in a registered function.
bool is_registered_code(uint64_t pc);

}  // namespace memtrace::preload
