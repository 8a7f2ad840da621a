// SPDX-License-Identifier: Apache-2.0
//
// Two functions of the loader.
//
// dlclose: after an unload other code may come to the same addresses; what we remember must go.
//
// dl_iterate_phdr: libunwind calls it for every address that it has not met, and it takes the
// loader's lock. Taking that lock inside malloc can deadlock: with a thread that holds it and waits
// for a lock that our caller holds, and in a child that was forked while somebody held it. For
// libunwind, and only while we are inside it, the answer comes from _dl_find_object instead, which
// takes no lock. Everybody else gets the real function.
#include <dlfcn.h>
#include <link.h>

#include "preload/gate.h"
#include "preload/hooks.h"
#include "preload/thread.h"

using namespace memtrace;
using namespace memtrace::preload;

namespace {

// libunwind hands its callback a struct whose first word is the address it looks for, in all
// versions from 1.1 to 1.8; one object that holds it is all that it wants to see.
int visit_object_at(uint64_t address, int (*visit)(dl_phdr_info*, size_t, void*), void* data) {
    dl_find_object found;
    if (_dl_find_object(reinterpret_cast<void*>(address), &found) != 0) return 0;
    const auto* elf = static_cast<const ElfW(Ehdr)*>(found.dlfo_map_start);
    dl_phdr_info info{};
    info.dlpi_addr = found.dlfo_link_map->l_addr;
    info.dlpi_name = found.dlfo_link_map->l_name;
    info.dlpi_phdr = reinterpret_cast<const ElfW(Phdr)*>(
        static_cast<const char*>(found.dlfo_map_start) + elf->e_phoff);
    info.dlpi_phnum = elf->e_phnum;
    return visit(&info, sizeof info, data);
}

}  // namespace

MEMTRACE_EXPORT int dl_iterate_phdr(int (*visit)(dl_phdr_info*, size_t, void*), void* data) {
    if (thread_state.inside == Inside::unwinder) {
        return visit_object_at(*static_cast<const uint64_t*>(data), visit, data);
    }
    return real_functions().dl_iterate_phdr(visit, data);
}

MEMTRACE_EXPORT int dlclose(void* library) {
    const int result = real_functions().dlclose(library);
    if (result == 0 && recording() == Recording::on && !inside_own_code())
        record_unloaded_modules();
    return result;
}
