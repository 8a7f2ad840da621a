// SPDX-License-Identifier: Apache-2.0
#include "preload/loader/loaded_object.h"

#include "preload/loader/mapped_object.h"

// Weak, so that the shim can be loaded where there is no such function.
extern "C" __attribute__((weak)) int _dl_find_object(void*, dl_find_object*) noexcept;

namespace memtrace::preload {

bool find_loaded_object(const void* address, dl_find_object& found) {
    if (&_dl_find_object == nullptr) return find_mapped_object(address, found);
    return _dl_find_object(const_cast<void*>(address), &found) == 0;
}

}  // namespace memtrace::preload
