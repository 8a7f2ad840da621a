// SPDX-License-Identifier: Apache-2.0
//
// Which loaded object contains an address: what the loader's _dl_find_object() tells without a
// lock, since glibc 2.35. Older ones have no such function, and their dl_iterate_phdr() takes the
// loader's lock, which must not be taken on an event. There the list of mappings is read instead
// (mapped_object.h).
#pragma once

#include <dlfcn.h>

namespace memtrace::preload {

// Returns true and fills `found` if the address is in a loaded object. Takes no lock, and may be
// called from anywhere. What `found` points to lasts until the object is unloaded.
bool find_loaded_object(const void* address, dl_find_object& found);

}  // namespace memtrace::preload
