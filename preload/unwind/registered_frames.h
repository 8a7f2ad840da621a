// SPDX-License-Identifier: Apache-2.0
//
// Unwind tables of code that is made at run time: compilers register them with __register_frame.
//
//   * What is registered is copied at once. The program's own tables are read only while it is
//     inside of that call, so they may go away at any moment afterwards.
//   * Who looks for an entry takes no lock, calls nothing and reads nothing but the copies, which
//     are used again but never unmapped. If one is, meanwhile, for other tables, he is told.
//   * When tables go away or are replaced, the caller is told which code they covered, to forget
//   the
//     rules that came from them. The names of frames stay: the dump contains nothing but addresses
//     for such code.
//   * Functions are found by address, by a hash and not one after the other: there may be one
//     registration for each of a hundred thousand of them.
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

// Who found an entry, and whether it is still there.
class RegisteredEntry {
public:
    bool is_valid() const { return version_ == nullptr || version_->load() == seen_; }

private:
    friend bool find_registered_entry(uint64_t pc, UnwindEntry& entry, RegisteredEntry& found);
    const std::atomic<uint64_t>* version_ = nullptr;
    uint64_t seen_ = 0;
};

// The entry that covers `pc`; of several the last that was registered. What was read by it counts
// only if `found` is still valid afterwards.
bool find_registered_entry(uint64_t pc, UnwindEntry& entry, RegisteredEntry& found);

// Whether `pc` is in a function that is registered.
bool is_registered_code(uint64_t pc);

}  // namespace memtrace::preload
