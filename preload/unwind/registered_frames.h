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
//   * When tables go away or are replaced, a function of the caller is called with the code that
//     they covered, to forget the rules that were made from them. The names of frames stay: for
//     such code the dump contains only addresses, whatever code is there.
//   * Functions are found by a hash of their address, not by a linear search. There may be one
//     registration for each of a hundred thousand functions.
#pragma once

#include <atomic>
#include <cstdint>

#include "preload/unwind/cfi.h"

namespace memtrace::preload {

// Called for code [begin, end) whose tables have gone away, during an unload (unwind_generation.h).
// In the shim it is forget_unwind_rules().
using CodeGone = void (*)(uint64_t begin, uint64_t end);

// Adds the tables at `section`, an .eh_frame that ends with a zero. They are removed by the same
// `key`. `is_forwarded`: the program's own unwinder receives them too. Calls gone() if older tables
// for the same code were used before.
void add_registered_frames(const void* key, const void* section, bool is_forwarded, CodeGone gone);
bool has_registered_frames(const void* key);

// Removes the tables that were added under this key, and calls gone() if they were used. Returns
// `is_forwarded` of these tables; true if there are none.
bool remove_registered_frames(const void* key, CodeGone gone);

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
