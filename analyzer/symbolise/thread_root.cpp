// SPDX-License-Identifier: Apache-2.0
#include "analyzer/symbolise/thread_root.h"

#include <cstdlib>

namespace memtrace::analyzer {

namespace {

// _start of every C library is shorter than this. That of the dynamic loader is too, together with
// _dl_start_user, which follows it.
constexpr uint64_t entry_bytes = 64;

}  // namespace

ThreadRootFinder::ThreadRootFinder(const ElfFile& image)
    : entry_(image.entry()), unwind_(dwarf_getcfi_elf(image.elf())) {}

ThreadRootFinder::~ThreadRootFinder() {
    if (unwind_ != nullptr) dwarf_cfi_end(unwind_);
}

bool ThreadRootFinder::is_start(uint64_t address) const {
    if (entry_ != 0 && address >= entry_ && address - entry_ < entry_bytes) return true;
    Dwarf_Frame* frame = nullptr;
    if (unwind_ == nullptr || dwarf_cfi_addrframe(unwind_, address, &frame) != 0) return false;
    const int return_address = dwarf_frame_info(frame, nullptr, nullptr, nullptr);
    Dwarf_Op memory[3];
    Dwarf_Op* rule = nullptr;
    size_t count = 0;
    // libdw represents an undefined register as no operations in the memory that the caller gave.
    const bool known = return_address >= 0 &&
                       dwarf_frame_register(frame, return_address, memory, &rule, &count) == 0;
    const bool undefined = known && count == 0 && rule == memory;
    std::free(frame);
    return undefined;
}

}  // namespace memtrace::analyzer
