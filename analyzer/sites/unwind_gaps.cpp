// SPDX-License-Identifier: Apache-2.0
//
// One pass over the nodes, callers first, and one over the sites. The path from a node to its root
// is known without walking it again, so a damaged dump takes no more time than any other.
#include "analyzer/sites/unwind_gaps.h"

#include <algorithm>
#include <array>

#include "analyzer/base/paths.h"

namespace memtrace::analyzer {

namespace {

// A set of modules has a bit for each module. The last modules share one bit, because a list of
// that many modules is too long to read.
constexpr size_t sets_max = 64;

// Facts about the path between a node and its root.
struct Way {
    uint32_t outermost = no_stack;  // the frame at which the walk ended
    Cut cut = {};                   // reason of a cut; 0: not cut
    uint64_t guessed = 0;           // set of the modules of guessed frames
};

std::string name_of(const StackTree& tree, const StackNode& node) {
    const bool is_code = node.defined && node.kind != NodeKind::truncated;
    if (!is_code) return "unknown code";
    const auto module = tree.modules.find(node.module);
    if (module == tree.modules.end()) {
        return node.module == no_module ? "code made at run time" : "an unknown module";
    }
    const std::string name = base_name(module->second.path);
    return name.empty() ? "code made at run time" : name;
}

ModuleCounts sorted(const std::map<std::string, uint64_t>& counts) {
    ModuleCounts result;
    for (const auto& [module, captures] : counts) result.push_back({module, captures});
    std::stable_sort(result.begin(), result.end(), [](const ModuleCount& a, const ModuleCount& b) {
        return a.captures > b.captures;
    });
    return result;
}

class GapFinder {
public:
    explicit GapFinder(const Model& model)
        : model_(model), tree_(model.stacks), nodes_(tree_.nodes) {}

    UnwindGaps run() {
        if (!has_gaps()) return {};
        ways_.resize(nodes_.size());
        ended_.resize(nodes_.size());
        for (uint32_t id = 1; id < ways_.size(); ++id) find_way(id);
        for (const Space& space : model_.spaces) {
            for (size_t i = 0; i < space.sites.size(); ++i) {
                count(space.sites.stack(i), space.sites.allocations(i));
            }
        }
        sum_ends();
        sum_guesses();
        return std::move(gaps_);
    }

private:
    // Most dumps have no gaps at all.
    bool has_gaps() const {
        for (uint32_t number = 0; number < nodes_.location_count(); ++number) {
            const NodeKind kind = nodes_.location(number).kind;
            if (kind == NodeKind::truncated || kind == NodeKind::guessed) return true;
        }
        return false;
    }

    void sum_ends() {
        std::map<Cut, std::map<std::string, uint64_t>> sums;
        for (uint32_t id = 1; id < ways_.size(); ++id) {
            if (ended_[id] == 0) continue;
            sums[ways_[id].cut][name_of(tree_, nodes_[id])] += ended_[id];
        }
        for (const auto& [cut, counts] : sums) gaps_.ends[cut] = sorted(counts);
    }

    void sum_guesses() {
        std::map<std::string, uint64_t> guessed;
        for (const auto& [name, bit] : bits_) {
            // Names that share the last bit are one entry.
            guessed[bit == sets_max - 1 ? "other modules" : name] = guessed_[bit];
        }
        std::erase_if(guessed, [](const auto& entry) { return entry.second == 0; });
        gaps_.guessed_in = sorted(guessed);
    }

    void find_way(uint32_t id) {
        const StackNode node = nodes_[id];
        Way& way = ways_[id];
        const uint32_t parent = node.parent;
        if (parent != no_stack) way = ways_[parent];
        else if (node.kind == NodeKind::truncated) way.cut = static_cast<Cut>(node.address);
        // The root of a cut stack is not a frame, nor is a node that replay put below it.
        const bool below_cut =
            way.outermost == parent &&
            (nodes_[parent].kind == NodeKind::truncated || nodes_[parent].backward != 0);
        if (parent == no_stack || below_cut) way.outermost = id;
        if (node.kind == NodeKind::guessed) way.guessed |= uint64_t{1} << bit_of(node);
    }

    size_t bit_of(const StackNode& node) {
        const size_t next = std::min(bits_.size(), sets_max - 1);
        return bits_.try_emplace(name_of(tree_, node), next).first->second;
    }

    void count(uint32_t stack, uint64_t captures) {
        if (stack == no_stack || stack >= ways_.size()) return;
        const Way& way = ways_[stack];
        if (way.cut == Cut::no_data || way.cut == Cut::failed) {
            ended_[way.outermost] += captures;
        }
        if (way.guessed == 0) return;
        gaps_.guessed += captures;
        for (size_t bit = 0; bit < sets_max; ++bit) {
            if ((way.guessed >> bit & 1) != 0) guessed_[bit] += captures;
        }
    }

    const Model& model_;
    const StackTree& tree_;
    const StackNodes& nodes_;
    std::vector<Way> ways_;                     // by node
    std::vector<uint64_t> ended_;               // by node: captures whose walk ended there
    std::map<std::string, size_t> bits_;        // by name of a module
    std::array<uint64_t, sets_max> guessed_{};  // by bit: captures
    UnwindGaps gaps_;
};

}  // namespace

UnwindGaps find_unwind_gaps(const Model& model) { return GapFinder(model).run(); }

}  // namespace memtrace::analyzer
