// SPDX-License-Identifier: Apache-2.0
//
// Writes the call tree as lines. Parts that are not shown have a line with their sum, so that the
// numbers below every place add up to its own:
//
//       BYTES   SHARE     BLOCKS  WHO CALLED, AND WHAT WAS CALLED
//   300.0 MiB 100.0 %         12  train.py:90 <module>
//                                   train.py:55 main
//   200.0 MiB  66.7 %          8      train.py:41 train_step
//    99.0 MiB  33.0 %          3      train.py:12 warm_up
//     1.0 MiB   0.3 %          1      2 callees below the least
//
// An only callee stands below its caller without numbers.
#include "analyzer/report/report_tree.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/frames/json_frames.h"
#include "analyzer/report/report_sites.h"
#include "analyzer/sites/call_tree.h"
#include "analyzer/sites/site_columns.h"
#include "analyzer/sites/site_table.h"

namespace memtrace::analyzer {

namespace {

constexpr size_t indent_step = 2;

TableOptions table_options(const TextOptions& options) {
    return {options.depth, options.all_frames, options.interpreter_frames};
}

class Writer {
public:
    Writer(std::string& out, const Recording& recording, const Space& space, const CallTree& tree,
           Measure measure, const TextOptions& options)
        : out_(out),
          recording_(recording),
          tree_(tree),
          measure_(measure),
          options_(options),
          style_(options.colour),
          whole_(value_of(space.totals, measure)),
          columns_(measure, whole_, style_, space.is_estimate) {}

    void run() {
        if (whole_ == 0) return;
        out_ += columns_.header("WHO CALLED, AND WHAT WAS CALLED");
        write_level(tree_.roots, 0, 0, "root");
    }

private:
    uint64_t value(const Totals& totals) const { return value_of(totals, measure_); }
    std::string blank(size_t indent) const {
        return std::string(NumberColumns::width + indent, ' ');
    }

    void write_level(const std::vector<uint32_t>& ids, size_t indent, size_t depth,
                     const char* noun) {
        const bool too_deep = depth >= options_.depth || indent > options_.width / 3;
        Totals rest;
        uint64_t left_out = 0;
        size_t shown = 0;
        for (const uint32_t id : ids) {
            const Call& node = tree_.nodes[id];
            if (value(node.totals) == 0) continue;
            const bool is_enough = value(node.totals) >= options_.least(whole_);
            if (!too_deep && is_enough && shown < options_.top) {
                write_node(node, indent, depth);
                shown += 1;
                continue;
            }
            add(rest, node.totals);
            left_out += 1;
        }
        if (left_out == 0) return;
        const std::string count = counted(left_out, noun);
        std::string text = count + (too_deep                ? ", deeper than is shown"
                                    : shown == options_.top ? " more"
                                                            : " below the least");
        if (NumberColumns::width + indent + text.size() > options_.width) text = count;
        out_ += columns_.row(rest) + std::string(indent, ' ') + style_.faint(text) + "\n";
    }

    void write_node(const Call& first, size_t indent, size_t depth) {
        out_ += columns_.row(first.totals) + std::string(indent, ' ') + place(first, indent, true) +
                "\n";
        const Call* node = &first;
        indent += indent_step;
        // A chain: the whole amount of this place passes on to the same callee.
        for (++depth; depth < options_.depth; ++depth) {
            if (node->callees.empty()) break;
            const Call& next = tree_.nodes[node->callees[0]];
            if (value(next.totals) != value(node->totals)) break;
            node = &next;
            out_ += blank(indent) + place(*node, indent, false) + "\n";
        }
        if (node != &first) indent += indent_step;
        if (value(node->own) != 0 && value(node->own) != value(node->totals)) {
            out_ +=
                columns_.row(node->own) + std::string(indent, ' ') + style_.faint("itself") + "\n";
        }
        write_level(node->callees, indent, depth, "callee");
    }

    std::string place(const Call& node, size_t indent, bool strong) const {
        if (node.frame == no_frame) return no_stack_text;
        const size_t room =
            options_.width - std::min(options_.width, NumberColumns::width + indent);
        return place_text(recording_.symbols.frames[node.frame], room, "", style_, strong);
    }

    std::string& out_;
    const Recording& recording_;
    const CallTree& tree_;
    Measure measure_;
    const TextOptions& options_;
    Style style_;
    uint64_t whole_;
    NumberColumns columns_;
};

// Returns the largest calls of a tree. This includes the callers of each of them, because a caller
// has at least its callee's amount and precedes it in the list.
std::vector<bool> largest_calls(const CallTree& tree, Measure measure, uint64_t calls_max) {
    std::vector<bool> kept(tree.nodes.size(), true);
    if (tree.nodes.size() <= calls_max) return kept;
    std::vector<uint64_t> values(tree.nodes.size());
    std::ranges::transform(tree.nodes, values.begin(),
                           [&](const Call& call) { return value_of(call.totals, measure); });
    const auto last = values.begin() + static_cast<std::ptrdiff_t>(calls_max);
    std::ranges::nth_element(values, last, std::greater<>{});
    const uint64_t least = *last;
    uint64_t room =
        calls_max - static_cast<uint64_t>(std::count_if(
                        values.begin(), last, [&](uint64_t value) { return value > least; }));
    for (size_t id = 0; id < tree.nodes.size(); ++id) {
        const uint64_t value = value_of(tree.nodes[id].totals, measure);
        kept[id] = value > least || (value == least && room > 0);
        room -= kept[id] && value == least;
    }
    return kept;
}

class JsonWriter {
public:
    JsonWriter(std::string& out, const Recording& recording, const Space& space,
               const CallTree& tree, std::vector<bool> kept)
        : out_(out), recording_(recording), space_(space), tree_(tree), kept_(std::move(kept)) {}

    void run() {
        for (size_t id = 0; id < tree_.nodes.size(); ++id) {
            if (kept_[id]) write_call(id);
        }
    }

private:
    void write_call(size_t id) {
        const Call& call = tree_.nodes[id];
        const bool root = call.parent >= tree_.nodes.size();
        Json json{
            {"space", space_.name},
            {"id", id},
            {"parent", root ? Json(nullptr) : Json(call.parent)},
            {"frame", call.frame == no_frame ? Json(nullptr)
                                             : frame_json(recording_.symbols.frames[call.frame])},
            {"total", sums_json(call.totals, space_.is_estimate)},
            {"self", sums_json(call.own, space_.is_estimate)}};
        Totals rest;
        uint64_t left_out = 0;
        for (const uint32_t callee : call.callees) {
            if (kept_[callee]) continue;
            add(rest, tree_.nodes[callee].totals);
            left_out += 1;
        }
        if (left_out > 0) {
            json["callees_left_out"] = left_out;
            json["left_out"] = sums_json(rest, space_.is_estimate);
        }
        out_ += (out_.size() > 1 ? ",\n    " : "\n    ") + json_text(json);
    }

    std::string& out_;
    const Recording& recording_;
    const Space& space_;
    const CallTree& tree_;
    std::vector<bool> kept_;
};

}  // namespace

void write_tree(std::string& out, const Recording& recording, Measure measure,
                const TextOptions& options) {
    write_program(out, recording, options);
    write_no_space(out, recording, options);
    for (const Space& space : recording.model.spaces) {
        if (!options.space.empty() && options.space != space.name) continue;
        write_title(out, options, "Call tree of " + printable(space.name),
                    std::string(", ") + title_of(measure));
        if (write_not_known(out, space, measure, options)) continue;
        TableOptions shape = table_options(options);
        shape.zeros = false;
        const CallTree tree = make_call_tree(space, recording.symbols, measure, shape);
        Writer(out, recording, space, tree, measure, options).run();
    }
    write_foot(out, recording, options);
}

std::string tree_json(const Recording& recording, Measure measure, const TextOptions& options,
                      uint64_t calls_max) {
    std::string text = "[";
    for (const Space& space : recording.model.spaces) {
        if (!options.space.empty() && options.space != space.name) continue;
        const CallTree tree =
            make_call_tree(space, recording.symbols, measure, table_options(options));
        JsonWriter(text, recording, space, tree, largest_calls(tree, measure, calls_max)).run();
    }
    return text + "\n  ]";
}

}  // namespace memtrace::analyzer
