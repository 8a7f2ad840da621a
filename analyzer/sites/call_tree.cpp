// SPDX-License-Identifier: Apache-2.0
#include "analyzer/sites/call_tree.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "analyzer/base/long_list.h"
#include "analyzer/base/number_hash.h"
#include "analyzer/frames/frame_facts.h"
#include "analyzer/frames/stack_view.h"

namespace memtrace::analyzer {

namespace {

constexpr uint32_t nobody = 0xffffffff;
constexpr uint32_t unknown = 0xfffffffe;

class Builder {
public:
    Builder(const Symbols& symbols, const TableOptions& options)
        : view_(symbols, options.interpreter_frames), all_frames_(options.all_frames) {
        for (const uint8_t bits : view_.facts().bits) {
            const bool ours = (bits & FrameFacts::shim) != 0;
            const bool interesting = (bits & FrameFacts::interesting) != 0;
            ours_.push_back(ours);
            interesting_.push_back(!ours && (options.all_frames || interesting));
        }
    }

    void add_site(const Site& site) {
        uint32_t call =
            view_.symbols().has(site.stack) ? call_of(site.stack, view_.folds(site.stack)) : nobody;
        if (call == nobody) call = enter_dull(site.stack);
        add(tree_.nodes[call].own, site.totals);
        if (first_sites_[call] == nobody) first_sites_[call] = sites_;
        sites_ += 1;
    }

    CallTree take(Measure measure) {
        sum_up();
        sort_by_sites();
        const auto sort = [&](std::vector<uint32_t>& ids) {
            std::sort(ids.begin(), ids.end(), [&](uint32_t a, uint32_t b) {
                const uint64_t left = value_of(tree_.nodes[a].totals, measure);
                const uint64_t right = value_of(tree_.nodes[b].totals, measure);
                return left != right ? left > right : a < b;
            });
        };
        sort(tree_.roots);
        for (Call& node : tree_.nodes) sort(node.callees);
        return std::move(tree_);
    }

private:
    // Returns the call that the node and its callers lead to, or nobody if none of their frames is
    // interesting. Stacks share their outer nodes, so the call of each node is found only once.
    uint32_t call_of(uint32_t node, bool fold) {
        LongList<uint32_t>& calls = calls_[fold ? 1 : 0];
        calls.grow_to(view_.symbols().nodes.size(), unknown);
        const StackNodes& nodes = view_.symbols().nodes;
        path_.clear();
        uint32_t call = nobody;
        for (; view_.symbols().has(node); node = nodes.parent(node)) {
            if (calls[node] != unknown) {
                call = calls[node];
                break;
            }
            path_.push_back(node);
        }
        for (; !path_.empty(); path_.pop_back()) {
            call = enter_node(call, path_.back(), fold);
            calls[path_.back()] = call;
        }
        return call;
    }

    uint32_t enter_node(uint32_t call, uint32_t node, bool fold) {
        if (view_.is_dull(node, fold) && !all_frames_) return call;
        frames_.clear();
        view_.show(node, fold, [&](FrameId id) {
            if (interesting_[id]) frames_.push_back(view_.line_of(id));
        });
        for (; !frames_.empty(); frames_.pop_back()) call = enter(call, frames_.back());
        return call;
    }

    // Enters all frames of a stack without interesting ones, except the hook's.
    uint32_t enter_dull(uint32_t stack) {
        frames_.clear();
        view_.walk(stack, [&](FrameId id, uint32_t) {
            if (!ours_[id]) frames_.push_back(view_.line_of(id));
            return true;
        });
        if (frames_.empty()) frames_.push_back(no_frame);
        uint32_t call = nobody;
        for (; !frames_.empty(); frames_.pop_back()) call = enter(call, frames_.back());
        return call;
    }

    uint32_t enter(uint32_t parent, FrameId frame) {
        const auto next = static_cast<uint32_t>(tree_.nodes.size());
        const auto [entry, is_new] = ids_.try_emplace(uint64_t{parent} << 32 | frame, next);
        if (!is_new) return entry->second;
        Call& node = tree_.nodes.emplace_back();
        node.frame = frame;
        node.parent = parent;
        first_sites_.push_back(nobody);
        return next;
    }

    void sum_up() {
        for (Call& node : tree_.nodes) node.totals = node.own;
        for (size_t id = tree_.nodes.size(); id-- > 0;) {  // callers last
            const uint32_t parent = tree_.nodes[id].parent;
            if (parent == nobody) continue;
            add(tree_.nodes[parent].totals, tree_.nodes[id].totals);
            first_sites_[parent] = std::min(first_sites_[parent], first_sites_[id]);
        }
    }

    // Numbers the calls in the order of the sites that first made them, each caller before its
    // callees.
    void sort_by_sites() {
        std::vector<uint32_t> order(tree_.nodes.size());
        std::iota(order.begin(), order.end(), 0u);
        // A caller was entered before its callees, and has the first site of one of them.
        std::stable_sort(order.begin(), order.end(),
                         [&](uint32_t a, uint32_t b) { return first_sites_[a] < first_sites_[b]; });
        std::vector<uint32_t> numbers(order.size());
        std::vector<Call> nodes;
        nodes.reserve(order.size());
        for (const uint32_t old : order) {
            numbers[old] = static_cast<uint32_t>(nodes.size());
            Call& node = nodes.emplace_back(std::move(tree_.nodes[old]));
            if (node.parent != nobody) node.parent = numbers[node.parent];
            auto& siblings = node.parent == nobody ? tree_.roots : nodes[node.parent].callees;
            siblings.push_back(numbers[old]);
        }
        tree_.nodes = std::move(nodes);
    }

    StackView view_;
    bool all_frames_;
    std::vector<bool> interesting_;            // by frame
    std::vector<bool> ours_;                   // by frame: of the shim
    std::array<LongList<uint32_t>, 2> calls_;  // by node; [1]: in stacks that fold
    std::vector<uint32_t> path_;
    std::vector<FrameId> frames_;
    CallTree tree_;
    std::vector<uint32_t> first_sites_;  // by call
    uint32_t sites_ = 0;
    tsl::robin_map<uint64_t, uint32_t, NumberHash> ids_;  // by parent and frame
};

// Trees of what is held at a moment show bytes and blocks, so a site without both changes nothing.
bool is_shown(const Totals& totals, Measure measure) {
    switch (measure) {
        case Measure::at_peak:
        case Measure::leaked:
        case Measure::held:
        case Measure::definitely_lost:
        case Measure::indirectly_lost:
        case Measure::possibly_lost:
        case Measure::garbage:
        case Measure::lost:
            return value_of(totals, measure) != 0 || blocks_of(totals, measure) != 0;
        default: return true;
    }
}

}  // namespace

CallTree make_call_tree(const Space& space, const Symbols& symbols, Measure measure,
                        const TableOptions& options) {
    Builder builder(symbols, options);
    for (const Site site : space.sites) {
        if (options.zeros || is_shown(site.totals, measure)) builder.add_site(site);
    }
    return builder.take(measure);
}

}  // namespace memtrace::analyzer
