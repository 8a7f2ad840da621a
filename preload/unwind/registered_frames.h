// SPDX-License-Identifier: Apache-2.0
//
// Unwind tables of code that is made at run time: compilers register them with __register_frame.
//
//   * What is registered is copied at once. The program's own tables are read only while it is
//     inside of that call, so they may go away at any moment afterwards.
//   * Who looks for an entry takes no lock, calls nothing and reads nothing but the copies, which
//     are used again but never unmapped. If one is, meanwhile, for other tables, he is told.
//   * Who takes tables out forgets the rules that were made of them. The names of frames stay: of
//     such code the dump knows addresses and nothing else, whatever is there.
//   * Functions are found by address, by a hash and not one after the other: there may be one
//     registration for each of a hundred thousand of them.
#pragma once

#include <atomic>
#include <cstdint>

#include "preload/unwind/cfi.h"

namespace memtrace::preload {

// Adds the tables at `section`, an .eh_frame that ends with a zero, under the address `key`, by
// which they will be taken out again. `is_forwarded`: the program's own unwinder is told as well.
void add_registered_frames(const void* key, const void* section, bool is_forwarded);
bool has_registered_frames(const void* key);

// Takes out what was added under this address. Whether the program's own unwinder knows it too: yes
// also for what was never added.
bool remove_registered_frames(const void* key);

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
