// SPDX-License-Identifier: Apache-2.0
//
// Sites that are no place in the code: memory that somebody's allocator keeps for whoever comes
// next. Each has a stack number of its own until the dump's stacks are known; no dump has these.
#pragma once

#include <cstdint>
#include <string_view>

namespace memtrace::analyzer {

enum class Group : uint8_t {
    none = 0,
    python_arenas,  // all arenas of Python's object allocator
    pool_cache,     // what pools of the GPU's driver hold and have not handed out
    graph_memory,   // what the driver holds for graphs
};
inline constexpr uint32_t group_count = 4;

constexpr uint32_t stack_of(Group group) { return 0xffffffff - static_cast<uint32_t>(group); }

// none: the number of a dump's stack.
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
