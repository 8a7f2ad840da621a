// SPDX-License-Identifier: Apache-2.0
//
// Finds the owner of GPU memory. It takes the first frame of the stack that does not only pass the
// call on. That frame belongs to a loaded file, and the file to an owner (gpu_owners.def).
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "analyzer/model/model.h"

namespace memtrace::analyzer {

enum class GpuRole : uint8_t {
    carrier,
    allocator,
    library,
    other,    // a file without a row: the program itself or an unknown library
    unknown,  // no stack was recorded, or no file in it is known
};

struct GpuOwner {
    GpuRole role = GpuRole::unknown;
    // For example "NCCL"; for `other` the name of the file.
    std::string name = "not known: no stack";
};

// Returns the owner for the path of a loaded file.
GpuOwner owner_of_file(std::string_view path);

// The owners of stacks. Each stack is looked up once. Nodes are requested by id, because they lie
// elsewhere while a dump is being read: `node_at(id)` returns a StackNode, or nothing.
class GpuOwners {
public:
    explicit GpuOwners(const std::map<uint32_t, ModuleInfo>& modules) : modules_(modules) {}

    template <std::invocable<uint32_t> NodeAt>
    const GpuOwner& of(uint32_t stack, NodeAt&& node_at) {
        const auto [entry, is_new] = of_stacks_.try_emplace(stack);
        if (!is_new) return entry->second;
        for (uint32_t id = stack; id != no_stack;) {
            const std::optional<StackNode> node = node_at(id);
            if (!node) break;
            const bool is_code = node->kind == NodeKind::native || node->kind == NodeKind::entry ||
                                 node->kind == NodeKind::guessed;
            if (is_code && node->module != no_module && find(node->module, entry->second)) break;
            if (node->parent >= id) break;  // The dump is damaged; the walk would not end.
            id = node->parent;
        }
        return entry->second;
    }

    const GpuOwner& of(uint32_t stack, const StackTree& tree) {
        return of(stack, [&](uint32_t id) {
            return id < tree.nodes.size() ? std::optional(tree.nodes[id]) : std::nullopt;
        });
    }

private:
    // Returns false if the file only passes calls on, or is not known.
    bool find(uint32_t module, GpuOwner& owner);

    const std::map<uint32_t, ModuleInfo>& modules_;
    std::map<uint32_t, GpuOwner> of_modules_;
    std::map<uint32_t, GpuOwner> of_stacks_;
};

}  // namespace memtrace::analyzer
