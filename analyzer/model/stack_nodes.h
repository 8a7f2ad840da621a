// SPDX-License-Identifier: Apache-2.0
//
// The nodes of all call stacks. A run of PyTorch has millions of nodes, but a hundred thousand
// different locations in the code. So a node is its caller and the number of its location, eight
// bytes, and whatever depends on the code alone is found once for each location:
//
//   node   parent  location            location   module  address
//   1      0       1                   1          python  0x401000
//   2      1       2                   2          torch   0x7f0010
//   3      1       2        ...
//
// Invariant: the parent of a node has a smaller number than the node, or is no_stack. So loops over
// all nodes see callers first, and walks outwards end.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "analyzer/base/long_list.h"
#include "analyzer/model/number_table.h"
#include "analyzer/model/site_groups.h"
#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

// A place in the code, or what stands in its place in a stack.
struct Location {
    uint64_t address = 0;
    uint32_t module = no_module;
    // Index into StackTree::backwards; 0: none. The node is then not a frame of the program. It
    // stands for the backward operation that its callees carried out.
    uint32_t backward = 0;
    NodeKind kind = NodeKind::native;
    bool defined = false;       // False: the dump uses the node but lost its definition.
    Group group = Group::none;  // Not a call but kept memory; see site_groups.h.

    bool operator==(const Location&) const = default;

    uint32_t hash() const {
        const uint64_t others =
            uint64_t{module} << 32 | backward << 8 | static_cast<uint32_t>(kind);
        const uint64_t mixed = (address ^ others * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
        return static_cast<uint32_t>(mixed >> 32);
    }
};

struct StackNode : Location {
    uint32_t parent = no_stack;
};

// A handle: copies share the nodes.
class StackNodes {
public:
    StackNodes() : data_(std::make_shared<Data>()) {}

    size_t size() const { return data_->nodes.size(); }
    bool empty() const { return data_->nodes.empty(); }
    StackNode operator[](size_t id) const {
        return {location(data_->nodes[id].location), data_->nodes[id].parent};
    }
    StackNode at(size_t id) const {
        return {location(data_->nodes.at(id).location), data_->nodes[id].parent};
    }

    uint32_t parent(uint32_t id) const { return data_->nodes[id].parent; }
    uint32_t location_of(uint32_t id) const { return data_->nodes[id].location; }

    // Locations are numbered from 0. Location 0 is that of nodes without a definition.
    size_t location_count() const { return data_->locations.size(); }
    const Location& location(uint32_t number) const { return data_->locations[number]; }

    // Adds undefined nodes until there are `size`.
    void resize(size_t size) { data_->nodes.resize(size); }

    // Prefetches what set() looks up for this place in the code. This function and its callers must
    // be inlined (large_table.h).
    [[gnu::always_inline]] void soon(const Location& location) const {
        data_->numbers.soon(location.hash());
    }

    [[gnu::always_inline]] void soon(uint32_t id) const {
        if (id < data_->nodes.size()) __builtin_prefetch(&data_->nodes[id]);
    }

    // Sets a node, and adds undefined nodes before it if it is new. A parent that is not smaller
    // than `id` is replaced by no_stack. Returns false then.
    bool set(uint32_t id, uint32_t parent, const Location& location) {
        return set_numbered(id, parent, number_of(location));
    }
    bool set(uint32_t id, const StackNode& node) { return set(id, node.parent, node); }

    // The same for a location that has this number.
    bool set_numbered(uint32_t id, uint32_t parent, uint32_t location) {
        const bool sound = parent < id;
        const Node node{sound ? parent : no_stack, location};
        LongList<Node>& nodes = data_->nodes;
        if (id == nodes.size()) {
            nodes.push_back(node);
            return sound;
        }
        nodes.grow_to(size_t{id} + 1);
        nodes[id] = node;
        return sound;
    }

    // Returns the number of this location, which is added if it is new.
    uint32_t number_of(const Location& location) { return data_->number_of(location); }

    // Returns the number of the new node.
    uint32_t push_back(const StackNode& node) {
        const auto id = static_cast<uint32_t>(size());
        set(id, node);
        return id;
    }

    // archive.h
    static void state(auto& self, auto& each) {
        Data& data = *self.data_;
        each(data.locations);
        if constexpr (std::remove_reference_t<decltype(each)>::reads) data.number_all(each);
        // By column, and a parent as its distance: most are near, so they take less when packed.
        std::vector<uint32_t> distances, places;
        for (size_t id = 0; id < data.nodes.size(); ++id) {
            distances.push_back(static_cast<uint32_t>(id) - data.nodes[id].parent);
            places.push_back(data.nodes[id].location);
        }
        each(distances, places);
        if constexpr (std::remove_reference_t<decltype(each)>::reads) {
            data.nodes.clear();
            each.require(distances.size() == places.size(), "a stack in it has no place");
            for (size_t id = 0; id < places.size(); ++id) {
                const auto parent = static_cast<uint32_t>(id - distances[id]);
                each.require(
                    places[id] < data.locations.size() && (parent < id || parent == no_stack),
                    "a stack in it is impossible");
                data.nodes.push_back({parent, places[id]});
            }
        }
    }

private:
    struct Node {
        uint32_t parent = no_stack;
        uint32_t location = 0;
    };
    struct Data {
        LongList<Node> nodes;
        std::vector<Location> locations;
        NumberTable numbers;

        Data() { number_of({}); }

        uint32_t number_of(const Location& location) {
            const auto next = static_cast<uint32_t>(locations.size());
            const uint32_t number = find_or_add(location, next);
            if (number == next) locations.push_back(location);
            return number;
        }
        uint32_t find_or_add(const Location& location, uint32_t number) {
            return numbers.find_or_add(location.hash(), number, [&](uint32_t other) {
                return locations[other] == location;
            });
        }
        void number_all(auto& archive) {
            numbers = {};
            bool is_unique = !locations.empty();
            for (uint32_t number = 0; number < locations.size(); ++number)
                is_unique &= find_or_add(locations[number], number) == number;
            archive.require(is_unique, "its places of stacks are not unique");
        }
    };

    std::shared_ptr<Data> data_;
};

}  // namespace memtrace::analyzer
