// SPDX-License-Identifier: Apache-2.0
//
// The names of the hooked functions of CUDA's driver, and what a name means to cuGetProcAddress().
// A request for "cuMemAlloc" of some version of CUDA returns cuMemAlloc_v2.
#pragma once

#include <cstdint>
#include <string_view>

namespace memtrace::preload::cuda {

enum class Entry : uint8_t {
#define MEMTRACE_CUDA_DOOR(spelling, asked, since, parameters) spelling,
#define MEMTRACE_CUDA_ENTRY(spelling, api, since, stream, parameters, arguments) spelling,
#include "preload/cuda/cuda_entries.def"
    none
};
inline constexpr unsigned entries_count = static_cast<unsigned>(Entry::none);

// The newest version of CUDA that the table covers completely. The table cannot tell what a name
// means in a later version.
inline constexpr int newest_known_version = 13000;

std::string_view spelling_of(Entry entry);

// Returns the function that is exported under this name.
Entry find_spelling(std::string_view name);

// Returns the function that a name means in a version of CUDA.
Entry find_asked(std::string_view name, int version, bool is_per_thread);

// True if both names mean the same function, for example cuMemAlloc and Entry::cuMemAlloc_v2.
bool is_asked_as(Entry entry, std::string_view name);

// True if a function with this name, which is not in the table, seems to allocate memory. Its
// memory is not recorded, and the dump must report that.
bool seems_to_give_memory(std::string_view name);

}  // namespace memtrace::preload::cuda
