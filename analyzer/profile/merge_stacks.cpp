// SPDX-License-Identifier: Apache-2.0
#include "analyzer/profile/merge_stacks.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>

namespace memtrace::analyzer {
namespace {

uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

auto content_of(const Frame& frame) {
    return std::tie(frame.function, frame.file, frame.line, frame.module, frame.kind, frame.named,
                    frame.end_line, frame.column, frame.end_column, frame.operation);
}

// Returns the numbers from 0 to count - 1, sorted, and for each its place in the order.
template <class Less>
std::pair<std::vector<uint32_t>, std::vector<uint32_t>> order_of(size_t count, const Less& less) {
    std::vector<uint32_t> order(count), rank(count);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), less);
    for (uint32_t i = 0; i < count; ++i) rank[order[i]] = i;
    return {std::move(order), std::move(rank)};
}

}  // namespace

size_t StackSums::FrameHash::operator()(const Frame& frame) const {
    const std::hash<std::string> hash;
    uint64_t sum = mix(hash(frame.function), hash(frame.file));
    sum = mix(sum, frame.line);
    sum = mix(sum, hash(frame.module));
    sum = mix(sum, uint64_t{frame.column} << 32 | frame.end_column);
    sum = mix(sum, hash(frame.operation));
    return mix(sum, uint64_t{frame.end_line} << 8 | static_cast<uint64_t>(frame.kind));
}

size_t StackSums::PlaceHash::operator()(const NamedPlace& place) const {
    uint64_t sum = mix(place.module, static_cast<uint64_t>(place.kind) << 8 | place.defined);
    sum = mix(sum, static_cast<uint64_t>(place.group) << 32 | place.reason);
    for (const FrameId frame : place.frames) sum = mix(sum, frame);
    return sum;
}

size_t StackSums::NodeHash::operator()(const NodeKey& key) const {
    return mix(mix(0, uint64_t{key[0]} << 32 | key[1]), uint64_t{key[2]} << 1 | key[3]);
}

// Modules of one path and build are one, with the best names that were found.
std::vector<uint32_t> StackSums::add_modules(const std::vector<NamedModule>& modules) {
    std::vector<uint32_t> ids{0};
    for (const NamedModule& module : modules) {
        const auto next = static_cast<uint32_t>(tree_.modules.size());
        const auto [entry, is_new] = module_ids_.try_emplace({module.path, module.build_id}, next);
        if (is_new) tree_.modules.push_back(module);
        NamedModule& sum = tree_.modules[entry->second];
        sum.names = std::max(sum.names, module.names);
        sum.is_listed = sum.is_listed || module.is_listed;
        ids.push_back(entry->second + 1);
    }
    return ids;
}

std::vector<uint32_t> StackSums::add_places(const NamedTree& tree, const std::vector<Frame>& frames,
                                            const std::vector<uint32_t>& modules) {
    constexpr FrameId unseen = 0xffffffff;
    std::vector<FrameId> ids(frames.size(), unseen);
    const auto id_of = [&](FrameId frame) {
        if (ids[frame] != unseen) return ids[frame];
        const auto next = static_cast<FrameId>(frames_.size());
        const auto [entry, is_new] = frame_ids_.try_emplace(frames[frame], next);
        if (is_new) frames_.push_back(&entry->first);
        return ids[frame] = entry->second;
    };
    std::vector<uint32_t> places;
    for (const NamedPlace& place : tree.places) {
        NamedPlace renumbered = place;
        for (FrameId& frame : renumbered.frames) frame = id_of(frame);
        renumbered.module = modules[place.module];
        const auto next = static_cast<uint32_t>(tree_.places.size());
        const auto [entry, is_new] = place_ids_.try_emplace(renumbered, next);
        if (is_new) tree_.places.push_back(renumbered);
        places.push_back(entry->second);
    }
    return places;
}

std::vector<uint32_t> StackSums::add(const Recording& part) {
    const TakenTree taken = take_tree(part);
    const NamedTree& tree = taken.tree;
    const std::vector<uint32_t> modules = add_modules(tree.modules);
    const std::vector<uint32_t> places = add_places(tree, part.symbols.frames, modules);
    const std::unordered_map<uint32_t, uint32_t> forwards(tree.forwards.begin(),
                                                          tree.forwards.end());
    std::vector<uint32_t> numbers(tree.parents.size(), no_stack);
    const auto order = in_order(tree);
    if (!order) return std::vector<uint32_t>(taken.node_of.size(), no_stack);
    for (const uint32_t id : *order) {
        uint32_t forward = 0;
        if (const auto found = forwards.find(id); found != forwards.end()) {
            forward = numbers[found->second] + 1;
        }
        const NodeKey key{numbers[tree.parents[id]], places[tree.place_of[id]], forward,
                          tree.complete[id]};
        const auto next = static_cast<uint32_t>(tree_.parents.size());
        const auto [entry, is_new] = node_ids_.try_emplace(key, next);
        numbers[id] = entry->second;
        if (!is_new) continue;
        tree_.parents.push_back(key[0]);
        tree_.place_of.push_back(key[1]);
        tree_.complete.push_back(key[3] != 0);
        forward_of_.push_back(forward);
    }
    std::vector<uint32_t> result;
    for (const uint32_t node : taken.node_of) result.push_back(numbers[node]);
    return result;
}

// Sorts frames, modules and places by content.
void StackSums::sort_places(Recording& sum) {
    const auto [frames, frame_rank] = order_of(frames_.size(), [&](uint32_t a, uint32_t b) {
        return content_of(*frames_[a]) < content_of(*frames_[b]);
    });
    for (const uint32_t frame : frames) sum.symbols.frames.push_back(*frames_[frame]);
    const auto [modules, module_rank] = order_of(tree_.modules.size(), [&](uint32_t a, uint32_t b) {
        return tree_.modules[a] < tree_.modules[b];
    });
    for (NamedPlace& place : tree_.places) {
        for (FrameId& frame : place.frames) frame = frame_rank[frame];
        if (place.module != 0) place.module = module_rank[place.module - 1] + 1;
    }
    const auto [places, place_rank] = order_of(tree_.places.size(), [&](uint32_t a, uint32_t b) {
        return tree_.places[a] < tree_.places[b];
    });
    for (uint32_t& place : tree_.place_of) place = place_rank.empty() ? 0 : place_rank[place];
    NamedTree sorted;
    for (const uint32_t module : modules) sorted.modules.push_back(tree_.modules[module]);
    for (const uint32_t place : places) sorted.places.push_back(std::move(tree_.places[place]));
    tree_.modules = std::move(sorted.modules);
    tree_.places = std::move(sorted.places);
}

// A hash of all that a node is, the same in every order of merging. It is compared only between
// callees of one node that have equal places and went forward in different stacks.
std::vector<uint64_t> StackSums::content_hashes() const {
    std::vector<uint64_t> hashes(tree_.parents.size());
    for (uint32_t id = 1; id < hashes.size(); ++id) {
        const uint64_t own = mix(hashes[tree_.parents[id]], tree_.place_of[id]);
        const uint64_t forward = forward_of_[id] == 0 ? 1 : mix(2, hashes[forward_of_[id] - 1]);
        hashes[id] = mix(mix(own, forward), tree_.complete[id]);
    }
    return hashes;
}

std::vector<uint32_t> StackSums::depth_first() const {
    const size_t count = tree_.parents.size();
    const std::vector<uint64_t> hashes = content_hashes();
    // The callees of node n are callees[first[n]] to callees[first[n + 1]].
    std::vector<uint32_t> first(count + 1, 0), callees(count);
    for (uint32_t id = 1; id < count; ++id) first[tree_.parents[id] + 1] += 1;
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<uint32_t> next = first;
    for (uint32_t id = 1; id < count; ++id) callees[next[tree_.parents[id]]++] = id;
    const auto is_before = [&](uint32_t a, uint32_t b) {
        return std::tuple(tree_.place_of[a], hashes[a]) < std::tuple(tree_.place_of[b], hashes[b]);
    };
    std::vector<uint32_t> order, path{no_stack};
    while (!path.empty()) {
        const uint32_t id = path.back();
        path.pop_back();
        order.push_back(id);
        const auto begin = callees.begin() + first[id], end = callees.begin() + first[id + 1];
        std::sort(begin, end, is_before);
        path.insert(path.end(), std::reverse_iterator(end), std::reverse_iterator(begin));
    }
    return order;
}

std::vector<uint32_t> StackSums::finish(Recording& sum) {
    sort_places(sum);
    const std::vector<uint32_t> order = depth_first();
    std::vector<uint32_t> number(order.size());
    for (uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i;
    NamedTree sorted;
    sorted.modules = std::move(tree_.modules);
    sorted.places = std::move(tree_.places);
    for (uint32_t i = 1; i < order.size(); ++i) {
        const uint32_t id = order[i];
        sorted.parents.push_back(number[tree_.parents[id]]);
        sorted.place_of.push_back(tree_.place_of[id]);
        sorted.complete.push_back(tree_.complete[id]);
        if (forward_of_[id] != 0) sorted.forwards.emplace_back(i, number[forward_of_[id] - 1]);
    }
    put_tree(sorted, sum);
    return number;
}

}  // namespace memtrace::analyzer
