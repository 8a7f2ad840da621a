// SPDX-License-Identifier: Apache-2.0
#include "analyzer/sites/site_table.h"

#include <algorithm>
#include <utility>

#include <tsl/robin_map.h>

#include "analyzer/base/number_hash.h"
#include "analyzer/frames/frame_facts.h"
#include "analyzer/frames/stack_view.h"

namespace memtrace::analyzer {

namespace {

constexpr uint32_t period_max = 6;  // The loop of an interpreter has up to 6 frames.

struct Line {
    FrameId frame = no_frame;
    uint32_t period = 1;
    uint32_t repeats = 1;
    bool skips = false;  // Native frames between the previous line and this one were left out.
};

class Builder {
public:
    Builder(const Symbols& symbols, Measure measure, const TableOptions& options)
        : view_(symbols, options.interpreter_frames), options_(options) {
        table_.measure = measure;
        const std::vector<uint8_t>& bits = view_.facts().bits;
        has_python_ = std::any_of(bits.begin(), bits.end(),
                                  [](uint8_t of) { return (of & FrameFacts::python) != 0; });
    }

    // Adds a site to its group, without its callers.
    void add_to_group(const Site& site) {
        Line line;
        const auto find = [&](bool all) {
            walk(site.stack, all, [&](FrameId id, uint32_t) {
                line.frame = view_.line_of(id);
                return false;
            });
            return line.frame != no_frame;
        };
        if (!find(options_.all_frames)) find(true);
        add(table_.nodes[enter(table_.groups, root, line)].totals, site.totals);
        groups_of_sites_.push_back(last_entered_);
    }

    // Keeps the callers of the largest groups only.
    void choose_groups() {
        sort(table_.groups);
        wanted_.resize(table_.nodes.size());
        for (size_t i = 0; i < std::min(options_.top, table_.groups.size()); ++i) {
            wanted_[table_.groups[i]] = true;
        }
    }
    bool wants_callers(size_t site) const { return wanted_[groups_of_sites_[site]]; }

    // Adds the callers of a site that is in its group.
    void add_callers(const Site& site) {
        const auto [entry, is_new] = paths_.try_emplace(meeting_of(site.stack));
        if (is_new) entry.value() = enter_callers(site.stack);
        const Path path = entry->second;
        for (uint32_t i = path.begin; i < path.end; ++i) {
            add(table_.nodes[on_paths_[i]].totals, site.totals);
        }
    }

    SiteTable take() {
        for (size_t i = 0; i < table_.nodes.size(); ++i) sort(table_.nodes[i].callers);
        return std::move(table_);
    }

private:
    static constexpr uint32_t root = 0xffffffff;

    // Of the callers in a stack: [begin, end) of on_paths_.
    struct Path {
        uint32_t begin = 0;
        uint32_t end = 0;
    };

    // `all`: also the frames that are not interesting.
    template <class Each>
    void walk(uint32_t stack, bool all, Each&& each) const {
        if (all) view_.walk(stack, each);
        else view_.walk_interesting(stack, each);
    }

    // Stacks that meet at a node have the same lines if nothing inside of it is shown. The result
    // is equal for such stacks. Allocators alone bring several stacks to most nodes.
    uint64_t meeting_of(uint32_t stack) const {
        uint64_t meeting = no_stack;
        if (!options_.all_frames) {
            view_.walk_interesting(stack, [&](FrameId, uint32_t node) {
                meeting = node;
                return false;
            });
        }
        const bool has_met = meeting != no_stack;
        return (has_met ? meeting : stack) << 2 | (has_met ? 2 : 0) | (view_.folds(stack) ? 1 : 0);
    }

    // Enters the lines of a stack into the table, without figures. Returns those of its callers.
    Path enter_callers(uint32_t stack) {
        read_lines(stack, options_.all_frames);
        if (lines_.empty()) read_lines(stack, true);
        if (lines_.empty()) lines_.emplace_back();
        keep_own_line(stack);
        Path path;
        path.begin = static_cast<uint32_t>(on_paths_.size());
        uint32_t parent = 0;
        for (size_t i = 0; i < std::min(lines_.size(), options_.depth); ++i) {
            parent = enter(i == 0 ? table_.groups : table_.nodes[parent].callers,
                           i == 0 ? root : parent, lines_[i]);
            if (i != 0) on_paths_.push_back(parent);
            join(table_.nodes[parent], lines_[i]);
        }
        if (lines_.size() > options_.depth) table_.nodes[parent].cut = true;
        path.end = static_cast<uint32_t>(on_paths_.size());
        return path;
    }

    // Reads the lines of a stack and folds repetitions. Stops one line after those that will be
    // shown. If Python functions called, the innermost of them are among the lines, however many
    // native frames are inside them. The same holds for backward frames.
    void read_lines(uint32_t stack, bool all) {
        lines_.clear();
        held_.clear();
        bool awaits_python = has_python_;
        const size_t native_max = options_.depth > 4 ? options_.depth - 3 : 1;
        walk(stack, all, [&](FrameId id, uint32_t) {
            const bool is_python = view_.facts().has(id, FrameFacts::python);
            Line line{view_.line_of(id), 1, 1, false};
            const bool is_backward = view_.facts().has(id, FrameFacts::backward);
            if (is_backward || (is_python && awaits_python)) {
                awaits_python = awaits_python && !is_python;
                line.skips = !held_.empty();
                held_.clear();
                if (is_backward) return add_line(line);
            }
            if (awaits_python && lines_.size() >= native_max) {
                if (held_.size() <= options_.depth + period_max) held_.push_back(line);
                return true;
            }
            return add_line(line);
        });
        for (const Line& line : held_) {
            if (!add_line(line)) return;
        }
    }

    // The line that readers look for first is their own. If libraries fill all lines that will be
    // shown, the innermost line of own code takes the last one.
    void keep_own_line(uint32_t stack) {
        if (options_.code == nullptr || options_.depth < 2 || lines_.size() <= options_.depth)
            return;
        const auto last = lines_.begin() + static_cast<ptrdiff_t>(options_.depth) - 1;
        if (std::any_of(lines_.begin(), last + 1, [&](const Line& line) {
                return line.frame != no_frame && is_own(line.frame);
            })) {
            return;
        }
        FrameId own = no_frame;
        bool has_callers = false;
        view_.walk_interesting(stack, [&](FrameId id, uint32_t) {
            has_callers = own != no_frame;
            if (!has_callers && is_own(view_.line_of(id))) own = view_.line_of(id);
            return !has_callers;
        });
        if (own == no_frame) return;
        *last = {own, 1, 1, true};
        if (!has_callers) lines_.resize(options_.depth);
    }

    bool is_own(FrameId id) {
        const auto [entry, is_new] = own_.try_emplace(id, false);
        if (is_new) entry.value() = is_user_code(view_.symbols().frames[id], *options_.code);
        return entry->second;
    }

    // Returns false if there are enough lines.
    bool add_line(const Line& line) {
        lines_.push_back(line);
        fold();
        return lines_.size() <= options_.depth + period_max;
    }

    // Removes the last lines if they repeat those before them.
    void fold() {
        for (uint32_t period = 1; period <= period_max; ++period) {
            if (lines_.size() < 2 * period) return;
            const auto last = lines_.end() - period;
            const bool same =
                std::equal(last, lines_.end(), last - period, [&](const Line& a, const Line& b) {
                    return view_.facts().functions[a.frame] == view_.facts().functions[b.frame];
                });
            if (!same) continue;
            lines_.erase(last, lines_.end());
            Line& line = lines_.back();
            line.repeats = line.period == period ? line.repeats + 1 : 2;
            line.period = period;
            return;
        }
    }

    uint32_t enter(std::vector<uint32_t>& siblings, uint32_t parent, const Line& line) {
        const uint64_t key = uint64_t{parent} << 32 | line.frame;
        const auto next = static_cast<uint32_t>(table_.nodes.size());
        const auto [entry, is_new] = ids_.try_emplace(key, next);
        if (is_new) {
            siblings.push_back(next);
            Caller node;
            node.frame = line.frame;
            node.skips = line.skips;
            node.repeats = 0;  // no line yet
            table_.nodes.push_back(std::move(node));
        }
        return last_entered_ = entry->second;
    }

    static void join(Caller& node, const Line& line) {
        node.period = std::max(node.period, line.period);
        node.repeats = node.repeats == 0 ? line.repeats : std::min(node.repeats, line.repeats);
        node.repeats_max = std::max(node.repeats_max, line.repeats);
    }

    void sort(std::vector<uint32_t>& ids) const {
        std::sort(ids.begin(), ids.end(), [&](uint32_t a, uint32_t b) {
            const uint64_t left = value_of(table_.nodes[a].totals, table_.measure);
            const uint64_t right = value_of(table_.nodes[b].totals, table_.measure);
            return left != right ? left > right : a < b;
        });
    }

    StackView view_;
    const TableOptions& options_;
    SiteTable table_;
    std::vector<Line> lines_;
    std::vector<uint32_t> groups_of_sites_;
    std::vector<bool> wanted_;  // by group
    uint32_t last_entered_ = 0;
    std::vector<Line> held_;  // native lines that Python's may replace
    bool has_python_ = false;
    tsl::robin_map<uint64_t, Path, NumberHash> paths_;    // by meeting_of()
    std::vector<uint32_t> on_paths_;                      // indices into the nodes of the table
    tsl::robin_map<uint64_t, bool, NumberHash> own_;      // by frame, of frames that were asked for
    tsl::robin_map<uint64_t, uint32_t, NumberHash> ids_;  // by parent and frame
};

}  // namespace

SiteTable make_site_table(const Space& space, const Symbols& symbols, Measure measure,
                          const TableOptions& options) {
    Builder builder(symbols, measure, options);
    std::vector<uint32_t> counted;  // sites that count
    for (uint32_t i = 0; i < space.sites.size(); ++i) {
        const Site site = space.sites[i];
        // Blocks of no bytes leak, too, so they count.
        const bool leaks = is_of_held(measure) && blocks_of(site.totals, measure) != 0;
        if (!leaks && value_of(site.totals, measure) == 0) continue;
        builder.add_to_group(site);
        counted.push_back(i);
    }
    builder.choose_groups();
    for (size_t i = 0; i < counted.size(); ++i) {
        if (builder.wants_callers(i)) builder.add_callers(space.sites[counted[i]]);
    }
    return builder.take();
}

}  // namespace memtrace::analyzer
