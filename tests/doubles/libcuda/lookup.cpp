// SPDX-License-Identifier: Apache-2.0
//
// The stand-in's cuGetProcAddress: a name and a version of CUDA become a function, in the spelling
// that was the newest in that version.
#include <dlfcn.h>

#include <cstring>

#include "tests/doubles/libcuda/state.h"

using namespace cuda_double;

namespace {

struct Row {
    const char* spelling;
    const char* asked;
    int since;
    bool is_per_thread;
    bool has_both;
};

constexpr int any = 0, legacy = 1, thread = 2;

// The stand-in exports the rows of this table, so it can look them up there.
constexpr Row rows[] = {
#define MEMTRACE_CUDA_DOOR(spelling, asked, since, parameters) \
    {#spelling, #asked, since, false, false},
#define MEMTRACE_CUDA_ENTRY(spelling, api, since, stream, parameters, arguments) \
    {#spelling, #api, since, stream == thread, stream != any},
#include "preload/cuda/cuda_entries.def"
};
static_assert(legacy != thread);

void* own_function(const char* spelling) {
    Dl_info own;
    if (dladdr(reinterpret_cast<void*>(&own_function), &own) == 0) return nullptr;
    void* const library = dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    // Not through dlsym, which may be a hook: the driver knows its own functions.
    static auto* const look_up = reinterpret_cast<void* (*)(void*, const char*)>(
        dlvsym(dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD), "dlsym", "GLIBC_2.2.5"));
    return look_up(library, spelling);
}

Result find(const char* name, void** function, int version, unsigned long long flags, int* status) {
    const Row* best = nullptr;
    bool is_too_new = false;
    const bool is_per_thread = (flags & per_thread_stream) != 0;
    for (const Row& row : rows) {
        if (std::strcmp(row.asked, name) != 0) continue;
        if (row.has_both && row.is_per_thread != is_per_thread) continue;
        is_too_new |= row.since > version;
        if (row.since <= version && (best == nullptr || row.since > best->since)) best = &row;
    }
    *function = nullptr;
    if (best != nullptr) *function = own_function(best->spelling);
    // Functions without a hook: by their name, and by the name in the newest header.
    if (best == nullptr && !is_too_new) {
        const std::string plain = name;
        const std::string suffixes[] = {is_per_thread ? "_ptsz" : "_v2", "_v2", ""};
        for (const std::string& suffix : suffixes) {
            if (*function == nullptr) *function = own_function((plain + suffix).c_str());
        }
    }
    if (status != nullptr) *status = *function != nullptr ? 0 : is_too_new ? 2 : 1;
    return *function != nullptr || status != nullptr ? success : not_found;
}

}  // namespace

DOUBLE_EXPORT Result cuGetProcAddress(const char* name, void** function, int version,
                                      unsigned long long flags) {
    const Call call("cuGetProcAddress", false);
    return find(name, function, version, flags, nullptr);
}

DOUBLE_EXPORT Result cuGetProcAddress_v2(const char* name, void** function, int version,
                                         unsigned long long flags, int* status) {
    const Call call("cuGetProcAddress_v2", false);
    return find(name, function, version, flags, status);
}
