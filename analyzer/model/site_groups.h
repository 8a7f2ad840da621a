// SPDX-License-Identifier: Apache-2.0
//
// Sites that are not places in the code: memory that an allocator keeps for later requests. Each
// has a stack number of its own until the stacks of the dump are known. No dump uses these numbers.
#pragma once

#include <cstdint>
#include <string_view>

namespace memtrace::analyzer {

enum class Group : uint8_t {
    none = 0,
    python_arenas,  // all arenas of Python's allocator of objects
    pool_cache,     // memory that pools of the GPU driver hold and have not handed out
    graph_memory,   // memory that the driver holds for graphs
};
inline constexpr uint32_t group_count = 4;

constexpr uint32_t stack_of(Group group) { return 0xffffffff - static_cast<uint32_t>(group); }

// Returns the group of a stack number; `none` if the number is that of a stack in the dump.
constexpr Group group_of(uint32_t stack) {
    const uint32_t number = 0xffffffff - stack;
    return number < group_count ? static_cast<Group>(number) : Group::none;
}

constexpr std::string_view name_of(Group group) {
    switch (group) {
        case Group::none: return {};
        case Group::python_arenas: return "Python's object arenas";
        case Group::pool_cache: return "kept by the driver's pools";
        case Group::graph_memory: return "kept by the driver for graphs";
    }
    return {};
}

}  // namespace memtrace::analyzer
