// SPDX-License-Identifier: Apache-2.0
//
// The names of CUDA's driver that we hook, and what a name means to cuGetProcAddress(), which is
// asked for "cuMemAlloc" of some version of CUDA and answers with cuMemAlloc_v2.
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

// The version of CUDA whose functions the table knows all of. What a name means in a later one, the
// table cannot say.
inline constexpr int newest_known_version = 13000;

std::string_view spelling_of(Entry entry);

// The function that is exported under this name.
Entry find_spelling(std::string_view name);

// The function that a name means in a version of CUDA.
Entry find_asked(std::string_view name, int version, bool is_per_thread);

// Whether both names mean the same function: cuMemAlloc and Entry::cuMemAlloc_v2.
bool is_asked_as(Entry entry, std::string_view name);

// Whether a function of this name, which is not in the table, gives memory: what it gives is not
// recorded, and the dump is to say so.
bool seems_to_give_memory(std::string_view name);

}  // namespace memtrace::preload::cuda
