// SPDX-License-Identifier: Apache-2.0
#include "analyzer/profile/profile_tree.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "memtrace/dump/python_records.h"

namespace memtrace::analyzer {
namespace {

// A place by numbers of the recording, for finding it quickly.
struct PlaceHash {
    size_t operator()(const NamedPlace& place) const {
        uint64_t hash = uint64_t{place.module} << 32 | uint64_t{place.reason} << 16 |
                        static_cast<uint64_t>(place.kind) << 8 |
                        static_cast<uint64_t>(place.group) << 4 | place.defined;
        for (const FrameId frame : place.frames) {
            hash = (hash ^ frame) * 0x9e3779b97f4a7c15u;
            hash ^= hash >> 29;
        }
        return hash;
    }
};

class Taker {
public:
    explicit Taker(const Recording& recording)
        : nodes_(recording.model.stacks.nodes),
          model_(recording.model),
          symbols_(recording.symbols) {}

    TakenTree run() {
        take_modules();
        const std::vector<bool> used = find_used();
        taken_.node_of.assign(nodes_.size(), no_stack);
        place_of_location_.assign(nodes_.location_count(), no_place);
        for (uint32_t id = 1; id < nodes_.size(); ++id) {
            if (used[id]) take_node(id);
        }
        take_forwards();
        return std::move(taken_);
    }

private:
    void take_modules() {
        for (const auto& [id, info] : model_.stacks.modules) {
            const auto known = symbols_.modules.find(id);
            const bool is_listed = known != symbols_.modules.end();
            taken_.tree.modules.push_back(
                {info.path, info.build_id, is_listed ? known->second : Names::none, is_listed});
            modules_[id] = static_cast<uint32_t>(taken_.tree.modules.size());
        }
    }

    std::vector<bool> find_used() const {
        std::vector<bool> used(nodes_.size());
        const auto mark = [&](uint32_t id) {
            for (; id != no_stack && id < used.size() && !used[id]; id = nodes_.parent(id)) {
                used[id] = true;
            }
        };
        for (const Space& space : model_.spaces) {
            for (size_t i = 0; i < space.sites.size(); ++i) mark(space.sites.stack(i));
        }
        for (const GpuRefusal& refusal : model_.gpu.refusals) mark(refusal.stack);
        for (const auto& [node, forward] : symbols_.forwards) mark(forward);
        return used;
    }

    void take_node(uint32_t id) {
        NamedTree& tree = taken_.tree;
        const uint32_t parent = taken_.node_of[nodes_.parent(id)];
        taken_.node_of[id] = static_cast<uint32_t>(tree.parents.size());
        tree.parents.push_back(parent);
        tree.place_of.push_back(place_of(nodes_.location_of(id)));
        tree.complete.push_back(id < symbols_.complete.size() && symbols_.complete[id]);
    }

    uint32_t place_of(uint32_t location) {
        uint32_t& known = place_of_location_[location];
        if (known == no_place) known = find_place(location);
        return known;
    }

    uint32_t find_place(uint32_t location) {
        const Location& node = nodes_.location(location);
        const auto frames = symbols_.frames_of_location(location);
        key_.frames.assign(frames.begin(), frames.end());
        key_.module = 0;
        if (node.module != no_module) {
            const auto found = modules_.find(node.module);
            if (found != modules_.end()) key_.module = found->second;
        }
        key_.kind = node.kind;
        key_.defined = node.defined;
        key_.group = node.group;
        key_.reason = 0;
        if (node.kind == NodeKind::truncated) key_.reason = static_cast<uint8_t>(node.address);
        if (is_python_gap(node)) key_.reason = 1 + static_cast<uint32_t>(python_gap_of(node));
        const auto next = static_cast<uint32_t>(taken_.tree.places.size());
        const auto [entry, is_new] = places_.try_emplace(key_, next);
        if (is_new) taken_.tree.places.push_back(key_);
        return entry->second;
    }

    void take_forwards() {
        for (const auto& [node, forward] : symbols_.forwards) {
            if (node >= nodes_.size() || taken_.node_of[node] == no_stack) continue;
            const uint32_t target = forward < nodes_.size() ? taken_.node_of[forward] : no_stack;
            taken_.tree.forwards.emplace_back(taken_.node_of[node], target);
        }
        std::sort(taken_.tree.forwards.begin(), taken_.tree.forwards.end());
    }

    static constexpr uint32_t no_place = 0xffffffff;

    const StackNodes& nodes_;
    const Model& model_;
    const Symbols& symbols_;
    TakenTree taken_;
    std::map<uint32_t, uint32_t> modules_;  // by id: index plus 1
    std::vector<uint32_t> place_of_location_;
    std::unordered_map<NamedPlace, uint32_t, PlaceHash> places_;
    NamedPlace key_;
};

// Returns an address as far as reports depend on it. Different places have different addresses.
uint64_t address_of(const NamedPlace& place, uint32_t number) {
    if (place.kind == NodeKind::truncated) return place.reason;
    if (place.kind != NodeKind::python) return number;
    return place.reason == 0 ? python_address(1, number) : python_address(0, place.reason - 1);
}

}  // namespace

TakenTree take_tree(const Recording& recording) { return Taker(recording).run(); }

void put_tree(const NamedTree& tree, Recording& recording) {
    StackTree& stacks = recording.model.stacks;
    Symbols& symbols = recording.symbols;
    for (uint32_t i = 0; i < tree.modules.size(); ++i) {
        const NamedModule& module = tree.modules[i];
        stacks.modules[i + 1] = {0, 0, 0, module.path, module.build_id};
        if (module.is_listed) symbols.modules[i + 1] = module.names;
    }
    std::unordered_map<uint32_t, uint32_t> backwards;  // by node: index into StackTree::backwards
    for (const auto& [node, forward] : tree.forwards) {
        backwards[node] = static_cast<uint32_t>(stacks.backwards.size());
        stacks.backwards.push_back({0, no_module, forward});
        symbols.forwards[node] = forward;
    }
    stacks.nodes.resize(tree.parents.size());
    symbols.nodes = stacks.nodes;
    symbols.complete = tree.complete;
    for (uint32_t id = 1; id < tree.parents.size(); ++id) {
        const NamedPlace& place = tree.places[tree.place_of[id]];
        StackNode node;
        node.parent = tree.parents[id];
        node.module = place.module == 0 ? no_module : place.module;
        node.kind = place.kind;
        node.address = address_of(place, tree.place_of[id] + 1);
        node.defined = place.defined;
        node.group = place.group;
        const auto backward = backwards.find(id);
        if (backward != backwards.end()) node.backward = backward->second;
        stacks.nodes.set(id, node);
        symbols.ranges.resize(stacks.nodes.location_count());
        FrameRange& range = symbols.ranges[stacks.nodes.location_of(id)];
        if (range.count != 0) continue;
        range = {static_cast<uint32_t>(symbols.of_locations.size()),
                 static_cast<uint32_t>(place.frames.size())};
        symbols.of_locations.insert(symbols.of_locations.end(), place.frames.begin(),
                                    place.frames.end());
    }
}

std::optional<std::vector<uint32_t>> in_order(const NamedTree& tree) {
    const size_t count = tree.parents.size();
    const auto is_after = [](const auto& entry) { return entry.second < entry.first; };
    std::vector<uint32_t> order;
    order.reserve(count);
    if (std::all_of(tree.forwards.begin(), tree.forwards.end(), is_after)) {
        for (uint32_t id = 1; id < count; ++id) order.push_back(id);
        return order;
    }
    const std::unordered_map<uint32_t, uint32_t> forwards(tree.forwards.begin(),
                                                          tree.forwards.end());
    enum : uint8_t { unseen, on_path, done };
    std::vector<uint8_t> state(count, unseen);
    state[no_stack] = done;
    std::vector<uint32_t> path;
    for (uint32_t first = 1; first < count; ++first) {
        if (state[first] == unseen) path.push_back(first);
        while (!path.empty()) {
            const uint32_t id = path.back();
            state[id] = on_path;
            const auto forward = forwards.find(id);
            uint32_t next = tree.parents[id];
            if (state[next] == done && forward != forwards.end()) next = forward->second;
            if (state[next] == on_path) return std::nullopt;
            if (state[next] == unseen) {
                path.push_back(next);
                continue;
            }
            state[id] = done;
            order.push_back(id);
            path.pop_back();
        }
    }
    return order;
}

}  // namespace memtrace::analyzer
