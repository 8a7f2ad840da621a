// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda_doors.h"

#include <dlfcn.h>
#include <link.h>

#include <atomic>

#include "preload/dynamic_symbols.h"
#include "preload/thread.h"

namespace memtrace::preload::cuda {
namespace {

std::atomic<bool> came_in{false};

struct Search {
    uint64_t own;
    bool     is_found = false;
};

// Objects come in the order in which they are searched, as far as the preloaded ones go. The program
// itself comes first of all, and may have a dlsym of its own just as well.
int look_at_object(dl_phdr_info* object, size_t, void* context) {
    auto& search = *static_cast<Search*>(context);
    for (unsigned i = 0; i < object->dlpi_phnum; ++i) {
        const ElfW(Phdr)& part = object->dlpi_phdr[i];
        const uint64_t begin = object->dlpi_addr + part.p_vaddr;
        if (part.p_type == PT_LOAD && search.own - begin < part.p_memsz) return 1;
    }
    search.is_found = DynamicSymbols(*object).find("dlsym") != nullptr;
    return search.is_found;
}

}  // namespace

void somebody_came_in() { came_in.store(true, std::memory_order_relaxed); }
bool has_somebody_come_in() { return came_in.load(std::memory_order_relaxed); }

bool another_dlsym_comes_first() {
    const InLibrary guard;
    Search search{reinterpret_cast<uint64_t>(&came_in)};
    dl_iterate_phdr(look_at_object, &search);
    return search.is_found;
}

void forget_doors() { came_in.store(false); }

}  // namespace memtrace::preload::cuda
