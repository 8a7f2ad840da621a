// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda/cupti_callback_ids.h"

#include <cstring>

#include "memtrace/dump/names.h"

namespace memtrace::preload::cupti {
namespace {

using cuda::Entry;

// A name that CUPTI uses for a function that is exported under another name.
struct Alias {
    const char* name;
    Entry entry;
};
constexpr Alias aliases[] = {{"cuMemHostAlloc_v2", Entry::cuMemHostAlloc}};

Entry entry_named(const char* name) {
    for (const Alias& alias : aliases) {
        if (std::strcmp(alias.name, name) == 0) return alias.entry;
    }
    return cuda::find_spelling(name);
}

enum class Kind : uint8_t { acquire, release, retain, map, unmap, context, overhead, pool };

struct ApiKind {
    Api api;
    Kind kind;
};
constexpr ApiKind kinds[] = {
#define MEMTRACE_GPU_API(id, name, record, memory) {Api::name, Kind::record},
#include "memtrace/dump/gpu_apis.def"
};

constexpr Kind kind_of(Api api) {
    for (const ApiKind& row : kinds) {
        if (row.api == api) return row.kind;
    }
    return Kind::overhead;
}

// True if the effect can only be learned by a query to the driver, for example what a pool or a
// graph holds.
constexpr bool is_only_a_query(Api api) {
    return kind_of(api) == Kind::overhead || api == Api::cuGraphLaunch ||
           api == Api::cuDeviceGraphMemTrim || api == Api::cuMemPoolTrimTo;
}

constexpr bool followed[] = {
#define MEMTRACE_CUDA_DOOR(spelling, asked, since, parameters) false,
#define MEMTRACE_CUDA_ENTRY(spelling, api, since, stream, parameters, arguments) \
    !is_only_a_query(Api::api),
#include "preload/cuda/cuda_entries.def"
};

// Numbers have gaps. After this many numbers without a name, none follow.
constexpr unsigned gap_max = 64;

}  // namespace

unsigned Ids::resolve(GetName name_of) {
    unsigned found = 0;
    unsigned gap = 0;
    for (Entry& entry : entries_) entry = Entry::none;
    for (uint32_t id = 1; id < ids_max && gap < gap_max; ++id) {
        const char* name = nullptr;
        if (name_of(driver_calls, id, &name) != success || name == nullptr) {
            ++gap;
            continue;
        }
        gap = 0;
        const Entry entry = entry_named(name);
        if (entry == Entry::none || !is_followed(entry)) continue;
        entries_[id] = entry;
        ++found;
    }
    return found;
}

bool is_followed(Entry entry) { return followed[static_cast<unsigned>(entry)]; }

}  // namespace memtrace::preload::cupti
