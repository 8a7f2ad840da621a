// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda/cuda_entry_names.h"

#include <array>

namespace memtrace::preload::cuda {
namespace {

enum class Stream : uint8_t { any, legacy, thread };

struct Row {
    std::string_view spelling;
    std::string_view asked;
    int since;
    Stream stream;
};

constexpr Row rows[] = {
#define MEMTRACE_CUDA_DOOR(spelling, asked, since, parameters) \
    {#spelling, #asked, since, Stream::any},
#define MEMTRACE_CUDA_ENTRY(spelling, api, since, stream, parameters, arguments) \
    {#spelling, #api, since, Stream::stream},
#include "preload/cuda/cuda_entries.def"
};

// Row numbers in the order of the spellings.
constexpr auto in_order = [] {
    std::array<uint8_t, entries_count> order{};
    for (unsigned i = 0; i < entries_count; ++i) {
        unsigned place = i;
        for (; place > 0 && rows[i].spelling < rows[order[place - 1]].spelling; --place) {
            order[place] = order[place - 1];
        }
        order[place] = static_cast<uint8_t>(i);
    }
    return order;
}();

constexpr std::string_view beginnings_of_givers[] = {"cuMemAlloc",
                                                     "cuMemHostAlloc",
                                                     "cuMemHostRegister",
                                                     "cuMemCreate",
                                                     "cuMemMap",
                                                     "cuMemPoolCreate",
                                                     "cuMemPoolImport",
                                                     "cuMemImport",
                                                     "cuArrayCreate",
                                                     "cuArray3DCreate",
                                                     "cuMipmappedArrayCreate",
                                                     "cuIpcOpenMem",
                                                     "cuImportExternalMemory",
                                                     "cuMulticast",
                                                     "cuGraphAddMem",
                                                     "cuGraphAddNode",
                                                     "cuCtxCreate",
                                                     "cuGreenCtxCreate"};

// Names that begin like a function that allocates memory, but allocate none.
constexpr std::string_view givers_of_nothing[] = {"cuMulticastAddDevice",
                                                  "cuMulticastGetGranularity",
                                                  "cuGraphAddMemcpyNode", "cuGraphAddMemsetNode"};

}  // namespace

std::string_view spelling_of(Entry entry) { return rows[static_cast<unsigned>(entry)].spelling; }

Entry find_spelling(std::string_view name) {
    unsigned low = 0;
    unsigned high = entries_count;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (rows[in_order[middle]].spelling < name) low = middle + 1;
        else high = middle;
    }
    if (low == entries_count || rows[in_order[low]].spelling != name) return Entry::none;
    return static_cast<Entry>(in_order[low]);
}

Entry find_asked(std::string_view name, int version, bool is_per_thread) {
    Entry found = Entry::none;
    int since = 0;
    for (unsigned i = 0; i < entries_count; ++i) {
        const Row& row = rows[i];
        if (row.asked != name || row.since > version || row.since < since) continue;
        if (row.stream == (is_per_thread ? Stream::legacy : Stream::thread)) continue;
        found = static_cast<Entry>(i);
        since = row.since;
    }
    return found;
}

bool is_asked_as(Entry entry, std::string_view name) {
    const Row& row = rows[static_cast<unsigned>(entry)];
    return row.asked == name || row.spelling == name;
}

bool seems_to_give_memory(std::string_view name) {
    for (const std::string_view beginning : givers_of_nothing) {
        if (name.substr(0, beginning.size()) == beginning) return false;
    }
    for (const std::string_view beginning : beginnings_of_givers) {
        if (name.substr(0, beginning.size()) == beginning) return true;
    }
    return false;
}

}  // namespace memtrace::preload::cuda
