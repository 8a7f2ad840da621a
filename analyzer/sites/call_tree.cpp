// SPDX-License-Identifier: Apache-2.0
#include "analyzer/sites/call_tree.h"

#include <tsl/robin_map.h>

#include <algorithm>

#include "analyzer/base/number_hash.h"
#include "analyzer/frames/frame_facts.h"
#include "analyzer/frames/stack_view.h"

namespace memtrace::analyzer {

namespace {

constexpr uint32_t nobody = 0xffffffff;

class Builder {
public:
    Builder(const Symbols& symbols, const TableOptions& options)
        : view_(symbols, options.interpreter_frames) {
        for (const uint8_t bits : view_.facts().bits) {
            const bool ours = (bits & FrameFacts::shim) != 0;
            const bool interesting = (bits & FrameFacts::interesting) != 0;
            ours_.push_back(ours);
            interesting_.push_back(!ours && (options.all_frames || interesting));
        }
    }

    void add_site(const Site& site) {
        read(site.stack, interesting_);
        if (path_.empty()) read(site.stack, {});
        if (path_.empty()) path_.push_back(no_frame);
        uint32_t at = nobody;
        for (auto frame = path_.rbegin(); frame != path_.rend(); ++frame) {
            at = enter(at, *frame);
            add(tree_.nodes[at].totals, site.totals);
        }
        add(tree_.nodes[at].own, site.totals);
    }

    CallTree take(Measure measure) {
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
    // Reads the frames of a stack that are in `wanted`, or all except the hook's, innermost first.
    void read(uint32_t stack, const std::vector<bool>& wanted) {
        path_.clear();
        view_.walk(stack, [&](FrameId id, uint32_t) {
            if (wanted.empty() ? !ours_[id] : wanted[id]) path_.push_back(view_.line_of(id));
            return true;
        });
    }

    uint32_t enter(uint32_t parent, FrameId frame) {
        const auto next = static_cast<uint32_t>(tree_.nodes.size());
        const auto [entry, is_new] = ids_.try_emplace(uint64_t{parent} << 32 | frame, next);
        if (!is_new) return entry->second;
        (parent == nobody ? tree_.roots : tree_.nodes[parent].callees).push_back(next);
        Call& node = tree_.nodes.emplace_back();
        node.frame = frame;
        node.parent = parent;
        return next;
    }

    StackView view_;
    std::vector<bool> interesting_;  // by frame
    std::vector<bool> ours_;         // by frame: of the shim
    std::vector<FrameId> path_;
    CallTree tree_;
    tsl::robin_map<uint64_t, uint32_t, NumberHash> ids_;  // by parent and frame
};

}  // namespace

CallTree make_call_tree(const Space& space, const Symbols& symbols, Measure measure,
                        const TableOptions& options) {
    Builder builder(symbols, options);
    for (const Site& site : space.sites) builder.add_site(site);
    return builder.take(measure);
}

}  // namespace memtrace::analyzer
