// SPDX-License-Identifier: Apache-2.0
#include "analyzer/page/page_data.h"

#include <array>
#include <utility>
#include <vector>

#include "analyzer/base/json_text.h"
#include "analyzer/base/units.h"
#include "analyzer/frames/json_frames.h"
#include "analyzer/frames/short_name.h"
#include "analyzer/page/page_course.h"
#include "analyzer/page/page_file.h"
#include "analyzer/page/page_leaks.h"
#include "analyzer/page/page_lost.h"
#include "analyzer/page/page_names.h"
#include "analyzer/page/page_run.h"
#include "analyzer/page/page_sources.h"
#include "analyzer/page/page_threads.h"
#include "analyzer/report/report_gpu.h"
#include "analyzer/report/report_host.h"
#include "analyzer/report/report_own_lines.h"
#include "analyzer/report/report_parts.h"

namespace memtrace::analyzer {

namespace {

constexpr size_t row_width = 400;  // The page cuts names where they have no room.
constexpr size_t thread_width = 120;
constexpr size_t all_blocks_max = 24'000;  // single ones; each takes about 15 bytes of the page

// The figures of sites and spaces, each a column of the data.
struct Column {
    const char* name;
    uint64_t Totals::*figure;
};
constexpr std::array columns{
    Column{"peak", &Totals::at_peak_bytes},        Column{"peak_blocks", &Totals::at_peak_blocks},
    Column{"held", &Totals::held_bytes},           Column{"held_blocks", &Totals::held_blocks},
    Column{"live", &Totals::live_bytes},           Column{"live_blocks", &Totals::live_blocks},
    Column{"allocated", &Totals::allocated_bytes}, Column{"calls", &Totals::allocations},
    Column{"temporary", &Totals::temporary},
};

// Points as differences: slice, bytes, blocks, calls and allocated bytes, one after the other.
Json points_json(const std::vector<HeldPoint>& points) {
    Json json = Json::array();
    HeldPoint before;
    const auto change = [&](uint64_t from, uint64_t to) {
        json.push_back(static_cast<int64_t>(to - from));
    };
    for (const HeldPoint& point : points) {
        json.push_back(point.slice - before.slice);
        change(before.bytes, point.bytes);
        change(before.blocks, point.blocks);
        change(before.allocations, point.allocations);
        change(before.allocated_bytes, point.allocated_bytes);
        before = point;
    }
    return json;
}

Json sites_json(const PageSpace& space) {
    Json json{{"node", Json::array()},
              {"row", Json::array()},
              {"stacks", Json::array()},
              {"folded", Json::array()},
              {"history", Json::array()}};
    for (const Column& column : columns) json[column.name] = Json::array();
    for (const PageSite& site : space.sites) {
        json["node"].push_back(site.node);
        json["row"].push_back(site.row);
        json["stacks"].push_back(site.stacks);
        json["folded"].push_back(site.is_folded ? 1 : 0);
        json["history"].push_back(points_json(site.held));
        for (const Column& column : columns) {
            json[column.name].push_back(site.totals.*column.figure);
        }
    }
    return json;
}

Json threads_json(const PageThreadSpace& threads) {
    Json sites = Json::array(), of = Json::array();
    Json shares{{"site", Json::array()}, {"thread", Json::array()}};
    for (const Column& column : columns) shares[column.name] = Json::array();
    for (const PageThreadShare& share : threads.shares) {
        shares["site"].push_back(share.site);
        shares["thread"].push_back(share.thread);
        for (const Column& column : columns) {
            shares[column.name].push_back(share.totals.*column.figure);
        }
    }
    return {{"of_sites", threads.of_sites}, {"shares", std::move(shares)}};
}

Json thread_names_json(const PageThreads& threads) {
    Json json = Json::array();
    for (const PageThreads::Name& thread : threads.names) {
        json.push_back({thread.tid, cut_middle(thread.name, thread_width), thread.count});
    }
    return json;
}

Json space_json(const Model& model, const Space& space, const PageSpace& page) {
    const size_t blocks_max = all_blocks_max / model.spaces.size();
    Json totals;
    for (const Column& column : columns) totals[column.name] = space.totals.*column.figure;
    return {{"name", space.name},
            {"is_estimate", space.is_estimate},
            {"ranges", space.sample_interval == 0 ? Json(nullptr) : ranges_json(space)},
            {"is_gpu", is_of_gpu(space)},
            {"peak_ns", space.peak_time_ns},
            {"peak_bytes", space.totals.own_peak_bytes},
            {"changed_after_work", changed_after_work(model, space)},
            {"recorded_sites", space.sites.size()},
            {"folded_stacks", page.folded_stacks},
            {"folded_at_peak", page.folded_at_peak},
            {"totals", std::move(totals)},
            {"curve", points_json(space.history.held)},
            {"course", course_json(model, space)},
            {"blocks", blocks_json(model, space, page, blocks_max)},
            {"sites", sites_json(page)}};
}

Json nodes_json(const PageStacks& stacks, PageNames& names) {
    Json parents = Json::array(), frames = Json::array();
    for (const PageNode& node : stacks.nodes) {
        parents.push_back(node.parent);
        frames.push_back(node.frame == no_frame ? Json(-1) : Json(names.frame(node.frame)));
    }
    return {{"parent", std::move(parents)}, {"frame", std::move(frames)}};
}

std::string row_text(const Recording& recording, const OwnRow& row, const PageOptions& options) {
    const std::string text = own_row_text(recording.symbols, row, row_width);
    return options.short_paths ? with_short_paths(text) : text;
}

Json rows_json(const Recording& recording, const PageStacks& stacks, const OwnLines& lines,
               PageNames& names, const PageOptions& options) {
    static constexpr std::array kinds{"line", "backward", "import", "library"};
    Json json = Json::array();
    for (const uint32_t index : stacks.rows) {
        const OwnRow& row = lines.rows[index];
        json.push_back({kinds[static_cast<size_t>(row.kind)], row_text(recording, row, options),
                        row.frame == no_frame ? Json(-1) : Json(names.frame(row.frame))});
    }
    if (stacks.rows_left_out != 0) {
        json.push_back({"rest", counted(stacks.rows_left_out, "row") + " more, each small", -1});
    }
    return json;
}

// Parses members of a report's JSON document, which end at their value.
Json members(const std::string& text) { return Json::parse("{" + text + "}"); }

// Stacks of the ledgers are shown by their call sites.
void remove_stacks(Json& json) {
    if (json.is_object()) {
        for (const char* const name : {"stack", "pins", "untouched"}) json.erase(name);
    }
    if (!json.is_structured()) return;
    for (Json& part : json) remove_stacks(part);
}

void shorten_paths(Json& json) {
    if (json.is_string()) json = with_short_paths(json.get<std::string>());
    if (!json.is_structured()) return;
    for (Json& part : json) shorten_paths(part);
}

Json ledgers_json(const Recording& recording, const PageOptions& options) {
    Json json = members(host_ledger_json(recording));
    json.update(members(gpu_ledger_json(recording)));
    remove_stacks(json);
    if (options.short_paths) shorten_paths(json);
    return json;
}

}  // namespace

std::string page_data(const Recording& recording, const PageStacks& stacks, const OwnLines& lines,
                      const PageFindings& findings, const PageOptions& options) {
    const Model& model = recording.model;
    PageNames names(recording, options);
    Json json = page_run_json(recording, names, options);
    json["nodes"] = nodes_json(stacks, names);
    json["nodes"]["all"] = stacks.all_nodes;
    json["rows"] = rows_json(recording, stacks, lines, names, options);
    json["spaces"] = Json::array();
    const PageThreads threads = make_page_threads(recording, stacks);
    json["threads"] = thread_names_json(threads);
    for (size_t i = 0; i < model.spaces.size(); ++i) {
        json["spaces"].push_back(space_json(model, model.spaces[i], stacks.spaces[i]));
        // One thread alone needs no choice.
        if (threads.names.size() > 1) {
            json["spaces"].back()["threads"] = threads_json(threads.spaces[i]);
        }
    }
    json["leaks"] = page_leaks_json(recording, findings.growth, names);
    const StackView view(recording.symbols, options.interpreter_frames);
    json["lost_blocks"] = page_lost_json(recording, view, names);
    json["ledgers"] = ledgers_json(recording, options);
    json["training"] = findings.training;
    if (options.short_paths) shorten_paths(json["training"]);
    json["sources"] = page_sources_json(recording, names, options);
    json.update(names.json());
    return page_json(std::move(json));
}

}  // namespace memtrace::analyzer
