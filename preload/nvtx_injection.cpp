// SPDX-License-Identifier: Apache-2.0
#include "preload/nvtx_injection.h"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstring>

#include "preload/gate.h"
#include "preload/options.h"
#include "preload/process.h"
#include "preload/record.h"
#include "preload/thread.h"

namespace memtrace::preload::nvtx {
namespace {

// By which the loader knows us, whatever the folder is now: no file is looked for.
char* own_path() {
    dl_find_object own;
    if (_dl_find_object(reinterpret_cast<void*>(&own_path), &own) != 0) return nullptr;
    return own.dlfo_link_map->l_name;
}

// NVTX is going to load us by that name, and the loader makes a list of what we need when that
// happens for the first time. That memory is not the program's; so it happens here.
void load_before_others(const char* path) {
    static std::atomic<bool> is_done{false};
    if (is_done.exchange(true)) return;
    const InLibrary guard;
    if (dlopen(path, RTLD_LAZY | RTLD_NOLOAD) == nullptr) dlerror();
}

void note_other_tool() {
    static std::atomic<bool> is_noted{false};
    if (is_noted.exchange(true)) return;
    record_note("nvtx", "NVTX_INJECTION64_PATH was set already: ranges and marks of NVTX go to the "
                        "library that it names. Only calls of libnvToolsExt.so are recorded here.");
}

}  // namespace

char* injection_path(const char* name, char* value) {
    if (std::strcmp(name, "NVTX_INJECTION64_PATH") != 0) return value;
    if (!options.nvtx || inside_own_code() || !is_recording()) return value;
    char* const path = own_path();
    if (path == nullptr) return value;
    if (value != nullptr) {
        if (std::strcmp(value, path) != 0) note_other_tool();
        return value;
    }
    load_before_others(path);
    return path;
}

}  // namespace memtrace::preload::nvtx
