// SPDX-License-Identifier: Apache-2.0
#include "analyzer/symbolise/thread_root.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace memtrace::analyzer {

namespace {

// _start of every C library is shorter than this; so is the dynamic loader's, together with
// _dl_start_user behind it.
constexpr uint64_t entry_bytes = 64;

}  // namespace

bool is_start_function(std::string_view name) {
    static constexpr auto names = std::to_array<std::string_view>(
        {"_start", "main", "__libc_start_main", "__libc_start_main_impl", "_dl_start", "clone",
         "__clone", "clone3", "__libc_start_call_main", "_dl_start_user", "__clone3",
         "start_thread", "thread_start", "__start_context"});
    return std::find(names.begin(), names.end(), name) != names.end();
}

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
    // libdw's way to say "undefined": no operations, in the memory that we gave.
    const bool known = return_address >= 0 &&
                       dwarf_frame_register(frame, return_address, memory, &rule, &count) == 0;
    const bool undefined = known && count == 0 && rule == memory;
    std::free(frame);
    return undefined;
}

}  // namespace memtrace::analyzer
