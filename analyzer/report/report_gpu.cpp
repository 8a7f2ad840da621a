// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/report_gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "analyzer/base/enum_names.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/model/gpu_facts.h"

namespace memtrace::analyzer {
namespace {

constexpr size_t value_width = 12;
constexpr size_t share_width = 8;
constexpr size_t detail_indent = 2 + value_width + share_width + 2;

std::string measured_text(const GpuTable& table) {
    if (!table.measured) return "not measured: nobody said what is taken of the device";
    const GpuUsageInfo& usage = *table.measured;
    const bool later = usage.time_ns > table.time_ns;
    const uint64_t distance = later ? usage.time_ns - table.time_ns : table.time_ns - usage.time_ns;
    std::string text = usage.scope == GpuUsageScope::process
                           ? "measured of this process"
                           : "measured of the whole device, other processes included";
    if (distance != 0) {
        text += fmt::format(", {} {}", human_time(distance), later ? "later" : "earlier");
    }
    if (table.recorded_since == 0) return text;
    return text + fmt::format(", when it was {}; the rest was recorded {}", human_bytes(usage.used),
                              later ? "before" : "since");
}

// What the device held at the moment of the table, by the nearest measurement.
std::optional<uint64_t> measured_bytes(const GpuTable& table) {
    if (!table.measured) return std::nullopt;
    const int64_t bytes = static_cast<int64_t>(table.measured->used) + table.recorded_since;
    return static_cast<uint64_t>(std::max<int64_t>(bytes, 0));
}

std::string agreement_text(const GpuSelfCheck& check) {
    std::string text = fmt::format("PyTorch's own counts agree at {} of {}",
                                   exact_count(check.agreed), counted(check.moments, "moment"));
    if (check.in_between != 0) {
        text +=
            fmt::format(" ({} of these while a call was going on)", exact_count(check.in_between));
    }
    if (check.agreed == check.moments) return text;
    return text + fmt::format(
                      "; first not after {}: it counted {} of segments and {} of blocks, "
                      "recorded are {} and {}",
                      human_time(check.time_ns), counted(check.their_reserved, "byte"),
                      counted(check.their_allocated, "byte"), counted(check.our_reserved, "byte"),
                      counted(check.our_allocated, "byte"));
}

void write_aside(std::string& out, const char* what, const GpuAside& aside,
                 const TextOptions& options) {
    if (aside.count == 0) return;
    write_wrapped(out,
                  fmt::format("  {}: {} in all, at most {} at a time, {} at the end", what,
                              exact_count(aside.count), human_bytes(aside.most_bytes),
                              human_bytes(aside.live_bytes)),
                  4, options.width);
}

// A node has memory from each run of its graph on, until a node or a call frees it. The driver says
// what it holds for graphs, and not for which nodes.
void write_graph_nodes(std::string& out, const GpuAside& nodes, const TextOptions& options) {
    if (nodes.count == 0) return;
    write_wrapped(
        out,
        fmt::format("  nodes of graphs: {} in all, which allocate {} when their graphs run",
                    exact_count(nodes.count), human_bytes(nodes.most_bytes)),
        4, options.width);
}

// Writes what has no bytes of its own in any space.
void write_asides(std::string& out, const Recording& recording, const TextOptions& options) {
    const GpuInfo& gpu = recording.model.gpu;
    const bool any = gpu.imported.count + gpu.registered.count + gpu.reserved.count +
                         gpu.driver_reserved.count + gpu.graph_nodes.count + gpu.implicit_frees !=
                     0;
    if (!any) return;
    write_title(out, options, "Not counted in any space", "");
    write_aside(out, "imported from other processes or interfaces", gpu.imported, options);
    write_aside(out, "memory of the host that was pinned later", gpu.registered, options);
    write_aside(out, "addresses without memory", gpu.reserved, options);
    write_aside(out, "addresses of the process that the driver reserves", gpu.driver_reserved,
                options);
    write_graph_nodes(out, gpu.graph_nodes, options);
    if (gpu.implicit_frees == 0) return;
    out += fmt::format("  freed with their context: {} in {}\n", human_bytes(gpu.implicit_bytes),
                       counted(gpu.implicit_frees, "block"));
}

void write_host_side(std::string& out, const Recording& recording, const TextOptions& options) {
    std::string text;
    for (const char* name : {"pinned", "managed"}) {
        const Space* space = find_space(recording.model, name);
        if (space == nullptr) continue;
        text += fmt::format("{}{}: {} at the peak, {} at the end", text.empty() ? "  " : "; ", name,
                            human_bytes(space->totals.own_peak_bytes),
                            human_bytes(space->totals.live_bytes));
    }
    if (text.empty()) return;
    write_title(out, options, "Beside the devices", "");
    write_wrapped(out, text, 4, options.width);
    const Space* mappings = find_space(recording.model, "mmap");
    if (mappings == nullptr) return;
    const auto driver = mappings->classes.find("gpu_driver");
    if (driver == mappings->classes.end()) return;
    write_wrapped(out,
                  fmt::format("  pinned memory lies in mappings of the driver's, {} at the end: "
                              "the class gpu_driver of mmap, and the same memory",
                              human_bytes(driver->second.live_bytes)),
                  4, options.width);
}

Json aside_json(const GpuAside& aside) {
    return {{"count", aside.count},
            {"live", aside.live},
            {"live_bytes", aside.live_bytes},
            {"most_bytes", aside.most_bytes}};
}

Json check_json(const GpuSelfCheck& check) {
    if (check.moments == 0) return nullptr;
    Json json{
        {"moments", check.moments}, {"agreed", check.agreed}, {"in_between", check.in_between}};
    if (check.agreed != check.moments) {
        json["first"] = {{"time_ns", check.time_ns},
                         {"their_reserved", check.their_reserved},
                         {"our_reserved", check.our_reserved},
                         {"their_allocated", check.their_allocated},
                         {"our_allocated", check.our_allocated}};
    }
    return json;
}

// In a merged profile, cards of several processes may have this number. Their sizes are not summed.
std::string several_cards_text(const GpuDeviceInfo& device) {
    const bool is_one_model = device.model != several_texts && !device.model.empty();
    std::string text = "several cards of " + (is_one_model ? device.model : "different models");
    if (device.memory != 0) text += ", each of at most " + human_bytes(device.memory);
    return text;
}

Json figures_json(const GpuFigures& figures) {
    return {{"tensors", figures.tensors}, {"segments", figures.segments},
            {"cached", figures.cached},   {"fragmented", figures.fragmented()},
            {"holes", figures.holes},     {"largest_hole", figures.largest_hole}};
}

}  // namespace

std::string signed_bytes(int64_t bytes) {
    if (bytes >= 0) return human_bytes(static_cast<uint64_t>(bytes));
    return "-" + human_bytes(-static_cast<uint64_t>(bytes));
}

std::string gpu_device_text(const GpuDeviceInfo& device) {
    if (is_several_cards(device)) return several_cards_text(device);
    std::string text = device.model.empty() ? "a device of an unknown model" : device.model;
    if (device.memory != 0) text += ", " + human_bytes(device.memory);
    if (!device.pci.empty()) text += ", " + device.pci;
    return text;
}

void write_gpu_table(std::string& out, const GpuTable& table, const TextOptions& options) {
    const Style style(options.colour);
    const uint64_t whole = measured_bytes(table).value_or(table.recorded);
    const auto line = [&](const std::string& value, const std::string& share,
                          const std::string& text) {
        write_wrapped(out,
                      fmt::format("  {:>{}}{:>{}}  {}", value, value_width, share, share_width,
                                  printable(text)),
                      detail_indent, options.width);
    };
    if (!table.is_filtered) {
        const std::optional<uint64_t> bytes = measured_bytes(table);
        const char* const sign = table.recorded_since != 0 ? "~" : "";
        line(bytes ? sign + human_bytes(*bytes) : "-", "", measured_text(table));
    }
    line(human_bytes(table.recorded), percent(table.recorded, whole),
         table.processes == 1 ? std::string("recorded, of this process:")
                              : fmt::format("recorded, of {} processes, each at its own moment:",
                                            exact_count(table.processes)));
    bool is_estimate = false;
    for (const GpuRow& row : table.rows) {
        if (row.is_estimate && !is_estimate) line("", "", "estimated:");
        is_estimate = row.is_estimate;
        const std::string share =
            row.bytes < 0 ? "" : percent(static_cast<uint64_t>(row.bytes), whole);
        const std::string detail = row.detail.empty() ? "" : " (" + row.detail + ")";
        line((row.is_estimate ? "~" : "") + signed_bytes(row.bytes), share,
             "  " + row.name + detail);
    }
    if (!table.not_explained) return;
    const int64_t rest = *table.not_explained;
    line(signed_bytes(rest), rest < 0 ? "" : percent(static_cast<uint64_t>(rest), whole),
         rest < 0 ? "not explained: more is known of than was measured" : "not explained");
}

void write_gpu(std::string& out, const Recording& recording, const TextOptions& options) {
    write_program(out, recording, options);
    const GpuInfo& gpu = recording.model.gpu;
    if (gpu.devices.empty()) {
        std::string why = gpu_unknown_text(recording.model);
        if (why.empty()) why = "recorded by: " + gpu_state_text(recording.model);
        write_wrapped(out, "\nNo memory of a GPU was recorded; " + printable(why), 0,
                      options.width);
    }
    for (const GpuDeviceInfo& device : gpu.devices) {
        write_title(out, options, fmt::format("GPU {}", device.device),
                    "  " + printable(gpu_device_text(device)));
        if (device.check.moments != 0) {
            write_wrapped(out, "  " + agreement_text(device.check), 4, options.width);
        } else if (device.had_tensors) {
            write_wrapped(out,
                          "  PyTorch's own counts were not compared: the driver was not "
                          "recorded",
                          4, options.width);
        }
        if (device.at_peak.held != 0) {
            write_title(out, options, "At the peak",
                        ", after " + human_time(device.at_peak.time_ns));
            write_gpu_table(out, gpu_table_at_peak(recording, device), options);
        }
        write_title(out, options, "At the end", ", after " + human_time(device.at_end.time_ns));
        write_gpu_table(out, gpu_table_at_end(recording, device), options);
    }
    write_host_side(out, recording, options);
    write_asides(out, recording, options);
    if (!gpu.refusals.empty()) {
        out += fmt::format("\nMemory was refused {}: memtrace-report oom says who held it.\n",
                           counted(gpu.refusals.size() + gpu.refusals_more, "time"));
    }
    write_foot(out, recording, options);
}

Json gpu_table_json(const GpuTable& table) {
    Json rows = Json::array();
    for (const GpuRow& row : table.rows) {
        rows.push_back({{"key", row.key},
                        {"name", row.name},
                        {"bytes", row.bytes},
                        {"is_estimate", row.is_estimate},
                        {"detail", row.detail}});
    }
    Json measured = nullptr;
    if (table.measured) {
        measured = {{"scope", word_of(table.measured->scope)},
                    {"used", table.measured->used},
                    {"time_ns", table.measured->time_ns},
                    {"recorded_since", table.recorded_since}};
    }
    return {{"time_ns", table.time_ns},
            {"measured", measured},
            {"recorded", table.recorded},
            {"rows", rows},
            {"not_explained", table.not_explained ? Json(*table.not_explained) : Json(nullptr)}};
}

std::string gpu_ledger_json(const Recording& recording) {
    Json list = Json::array();
    for (const GpuDeviceInfo& device : recording.model.gpu.devices) {
        Json peak = gpu_table_json(gpu_table_at_peak(recording, device));
        Json end = gpu_table_json(gpu_table_at_end(recording, device));
        peak["segments"] = figures_json(device.at_peak);
        end["segments"] = figures_json(device.at_end);
        list.push_back({{"device", device.device}, {"peak", peak}, {"end", end}});
    }
    return "\"gpu_ledger\": " + json_text(list, 2);
}

Json gpu_json(const Model& model) {
    const GpuInfo& gpu = model.gpu;
    Json source = nullptr;
    if (gpu.source) {
        source = {{"backend", word_of(gpu.source->backend)},
                  {"driver_version", gpu.source->driver_version},
                  {"why", gpu.source->why}};
    }
    Json devices = Json::array();
    for (const GpuDeviceInfo& device : gpu.devices) {
        devices.push_back({{"device", device.device},
                           {"model", device.model},
                           {"pci", device.pci},
                           {"memory", device.memory},
                           {"torch_agreement", check_json(device.check)}});
    }
    return {{"source", source},
            {"devices", devices},
            {"imported", aside_json(gpu.imported)},
            {"registered", aside_json(gpu.registered)},
            {"reserved_addresses", aside_json(gpu.reserved)},
            {"driver_reserved_addresses", aside_json(gpu.driver_reserved)},
            {"graph_nodes",
             {{"count", gpu.graph_nodes.count}, {"most_bytes", gpu.graph_nodes.most_bytes}}},
            {"implicit_frees", gpu.implicit_frees},
            {"implicit_free_bytes", gpu.implicit_bytes},
            {"contradictions", gpu.contradictions},
            {"refusals", gpu.refusals.size() + gpu.refusals_more}};
}

}  // namespace memtrace::analyzer
