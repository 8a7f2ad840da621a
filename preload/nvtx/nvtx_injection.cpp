// SPDX-License-Identifier: Apache-2.0
#include "preload/nvtx/nvtx_injection.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "preload/base/fixed_text.h"
#include "preload/base/options.h"
#include "preload/base/process_info.h"
#include "preload/base/recording_state.h"
#include "preload/base/sys.h"
#include "preload/loader/loaded_object.h"
#include "preload/loader/loader_call.h"
#include "preload/recording/record.h"

namespace memtrace::preload::nvtx {
namespace {

// Returns the path under which the loader has loaded the shim, whatever the current folder is. With
// this path, the loader does not search for a file.
char* own_path() {
    dl_find_object own;
    if (!find_loaded_object(reinterpret_cast<void*>(&own_path), own)) return nullptr;
    return own.dlfo_link_map->l_name;
}

// NVTX later loads the shim by this path. At the first such load, the loader allocates a list of
// the shim's dependencies. That memory is not the program's, so it is allocated here.
void load_before_others(const char* path) {
    static std::atomic<bool> is_done{false};
    if (is_done.exchange(true)) return;
    const int errno_before = errno;
    {
        const LoaderCall call;
        dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    }
    errno = errno_before;
}

// By these files a tool requests that copies of NVTX query CUDA's driver for it. They do so only if
// the variable names no library. The newest header looks for the files in this order.
bool driver_has_tool() {
    struct stat found;
    if (!sys::failed(sys::stat("/run/nvidia/nvtx/nvtx-cuda.yaml", &found))) return true;
    if (sys::call(SYS_geteuid) == 0) {
        return !sys::failed(sys::stat("/run/nvidia/nvtx/user.0/nvtx-cuda.yaml", &found));
    }
    const std::string_view folder = starting_environment("XDG_RUNTIME_DIR");
    if (folder.empty()) return false;
    const sys::MappedItem<Path> path;
    if (!path) return false;
    *path << folder << "/nvidia/nvtx/nvtx-cuda.yaml";
    return !sys::failed(sys::stat(path->c_str(), &found));
}

void note_once(Text text) {
    static std::atomic<bool> is_noted{false};
    if (!is_noted.exchange(true)) record_note("nvtx", text);
}

}  // namespace

char* injection_path(const char* name, char* value) {
    if (std::strcmp(name, "NVTX_INJECTION64_PATH") != 0) return value;
    if (!options.nvtx || inside_own_code()) return value;
    // NVTX asks once. A process that sleeps may wake up later.
    if (!is_recording() && recording() != Recording::asleep) return value;
    char* const path = own_path();
    if (path == nullptr) return value;
    if (value != nullptr) {
        if (std::strcmp(value, path) == 0) return value;
        note_once(
            "NVTX_INJECTION64_PATH was set already: ranges and marks of NVTX go to the "
            "library that it names. Only calls of libnvToolsExt.so are recorded here.");
        return value;
    }
    if (driver_has_tool()) {
        note_once(
            "A tool is configured for NVTX by nvtx-cuda.yaml: ranges and marks are left to "
            "it. Only calls of libnvToolsExt.so are recorded here.");
        return value;
    }
    load_before_others(path);
    return path;
}

}  // namespace memtrace::preload::nvtx
