// SPDX-License-Identifier: Apache-2.0
#include "analyzer/live/live_names.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "analyzer/base/json_text.h"
#include "analyzer/base/paths.h"
#include "analyzer/base/terminal.h"
#include "analyzer/frames/stack_view.h"
#include "analyzer/report/report_own_lines.h"
#include "analyzer/sites/json_sites.h"
#include "analyzer/sites/own_lines.h"
#include "analyzer/symbolise/symbolise.h"

namespace memtrace::analyzer {
namespace {

constexpr size_t where_max = 200;   // columns
constexpr size_t stacks_max = 200;  // rows that get a stack
constexpr size_t frames_max = 60;   // of a stack

struct Largest {
    uint32_t stack = no_stack;
    uint64_t bytes = 0;
};

// Returns the stack of each row that holds most of it.
std::vector<Largest> largest_stacks(const Model& model, const OwnLines& lines) {
    std::vector<Largest> largest(lines.rows.size());
    for (size_t space = 0; space < model.spaces.size(); ++space) {
        const Sites& sites = model.spaces[space].sites;
        for (size_t i = 0; i < sites.size(); ++i) {
            Largest& most = largest[lines.of_sites[space][i]];
            const uint64_t bytes = sites.totals(i).live_bytes + 1;
            if (bytes > most.bytes) most = {sites.stack(i), bytes};
        }
    }
    return largest;
}

std::string frame_line(const Frame& frame) {
    const std::string function = printable(frame.function);
    if (!frame.file.empty()) {
        return fmt::format("{}  {}:{}", function, printable(frame.file), frame.line);
    }
    return fmt::format("{}  {}", function, printable(base_name(frame.module)));
}

Json stack_json(const StackView& view, const Symbols& symbols, uint32_t stack) {
    Json frames = Json::array();
    view.walk(
        stack,
        [&](FrameId id, uint32_t) {
            frames.push_back(frame_line(symbols.frames[id]));
            return true;
        },
        frames_max);
    return frames;
}

}  // namespace

std::string live_names_text(Model model) {
    Recording recording;
    recording.model = std::move(model);
    recording.symbols = symbolise(recording.model, {});
    const OwnLines lines = find_own_lines(recording, true);
    const std::vector<Largest> largest = largest_stacks(recording.model, lines);
    std::vector<uint64_t> sizes;
    for (const Largest& one : largest) sizes.push_back(one.bytes);
    uint64_t least = 0;
    if (sizes.size() > stacks_max) {
        std::nth_element(sizes.begin(), sizes.begin() + stacks_max, sizes.end(), std::greater<>());
        least = sizes[stacks_max];
    }
    const StackView view(recording.symbols);
    Json rows = Json::array();
    for (size_t row = 0; row < lines.rows.size(); ++row) {
        const Json own = own_row_json(recording.symbols, lines.rows[row]);
        const bool has_stack = largest[row].bytes > least && largest[row].stack != no_stack;
        rows.push_back(
            {{"where", own_row_text(recording.symbols, lines.rows[row], where_max)},
             {"file", own["file"]},
             {"line", own["line"]},
             {"stack", has_stack ? stack_json(view, recording.symbols, largest[row].stack)
                                 : Json::array()}});
    }
    Json sites = Json::object();
    for (size_t i = 0; i < recording.model.spaces.size(); ++i) {
        sites[recording.model.spaces[i].name] = lines.of_sites[i];
    }
    return json_text({{"rows", std::move(rows)}, {"sites", std::move(sites)}});
}

LiveNames read_live_names(std::string_view text) {
    const Json json = Json::parse(text);
    LiveNames names;
    for (const Json& row : json.at("rows")) {
        names.rows.push_back({row.at("where"), row.at("file"), row.at("line"), row.at("stack")});
    }
    names.of_sites = json.at("sites").get<decltype(names.of_sites)>();
    return names;
}

}  // namespace memtrace::analyzer
